#include "geckoprof/base/utf8_repair.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("well-formed text is recognised and left alone") {
  for (const char* text : {"", "plain ascii, more than eight", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    CHECK(IsUtf8(text));
    CHECK(RepairUtf8(text) == text);
  }
}

TEST_CASE("ill-formed parts become U+FFFD") {
  const std::string mark = "\xef\xbf\xbd";
  CHECK_FALSE(IsUtf8("a\x80"));
  CHECK(RepairUtf8("a\x80"
                   "b") == "a" + mark + "b");
  CHECK(RepairUtf8("\xc0\xaf") == mark + mark);             // long form
  CHECK(RepairUtf8("\xed\xa0\x80") == mark + mark + mark);  // surrogate
  CHECK(RepairUtf8("\xf4\x90\x80\x80") == mark + mark + mark + mark);
  CHECK(RepairUtf8("\xe2\x82") == mark);  // cut
  CHECK(RepairUtf8("\xe2\x82x") == mark + "x");
  CHECK(RepairUtf8("\xff") == mark);
  CHECK_FALSE(IsUtf8("12345678\xff"));
}

}  // namespace
}  // namespace geckoprof
