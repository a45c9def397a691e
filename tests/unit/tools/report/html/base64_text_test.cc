#include "tools/report/html/base64_text.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("base 64 as in RFC 4648") {
  CHECK(Base64Text("").empty());
  CHECK(Base64Text("f") == "Zg==");
  CHECK(Base64Text("fo") == "Zm8=");
  CHECK(Base64Text("foo") == "Zm9v");
  CHECK(Base64Text("foobar") == "Zm9vYmFy");
  CHECK(Base64Text(std::string_view("\0\xff\xfe</", 5)) == "AP/+PC8=");
}

}  // namespace
}  // namespace geckoprof
