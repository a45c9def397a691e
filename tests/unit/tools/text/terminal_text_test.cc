#include "tools/text/terminal_text.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("nothing steers the terminal") {
  CHECK(CleanText("plain é 漢 text") == "plain é 漢 text");
  CHECK(CleanText("a\x1b[31mb\x07") == "a?[31mb?");
  CHECK(CleanText("a\tb\nc\rd") == "a b c d");
  CHECK(CleanText("a\xc2\x9b"
                  "b") == "a?b");  // C1 control sequence introducer
  CHECK(CleanText("a\xe2\x80\xae"
                  "b") == "a?b");                 // right-to-left override
  CHECK(CleanText("a\xff\xc0\xafz") == "a???z");  // no UTF-8, overlong
  CHECK(CleanText("a\xe6\xbc") == "a??");         // cut short
  CHECK(CleanText(std::string("a\0b", 3)) == "a?b");
}

TEST_CASE("columns") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("漢字") == 4);
  CHECK(DisplayWidth("e\xcc\x81") == 1);
  CHECK(CutText("abcdef", 4) == "abc…");
  CHECK(CutText("abcd", 4) == "abcd");
  CHECK(CutText("漢字漢字", 4) == "漢…");
  CHECK(CutText("abcdef", 0) == "abcdef");
  CHECK(PadRight("ab", 4) == "ab  ");
  CHECK(PadRight("abcdef", 4) == "abc…");
  CHECK(PadLeft("ab", 4) == "  ab");
  CHECK(PadLeft("abcdef", 4) == "abcdef");
}

}  // namespace
}  // namespace geckoprof
