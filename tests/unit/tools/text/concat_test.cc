#include "tools/text/concat.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("parts and numbers one after the other") {
  CHECK(Concat("a", std::string("b"), std::string_view("c"), -3, 4u, 0.1, INT64_MIN) ==
        "abc-340.1-9223372036854775808");
  CHECK(HexText(0x1c15) == "1c15");
  CHECK(HexText(UINT64_MAX) == "ffffffffffffffff");
}

}  // namespace
}  // namespace geckoprof
