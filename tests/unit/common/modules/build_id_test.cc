#include "geckoprof/modules/build_id.h"

#include <catch2/catch.hpp>

using geckoprof::BreakpadId;
using geckoprof::CodeId;

TEST_CASE("a build id as GUID has its first three fields swapped") {
  const std::string build_id("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10\xaa\xbb\xcc\xdd", 20);
  CHECK(BreakpadId(build_id) == "67452301AB89EFCDFEDCBA98765432100");
  CHECK(CodeId(build_id) == "0123456789abcdeffedcba9876543210aabbccdd");
}

TEST_CASE("short and missing build ids") {
  CHECK(BreakpadId("\x01\x02") ==
        "00000201000000000000000000000000"
        "0");
  CHECK(BreakpadId("").empty());
  CHECK(CodeId("").empty());
}
