#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/base/utf8.h"

namespace geckoprof {
namespace {

TEST_CASE("what is short enough stays as it is") {
  CHECK(Utf8Cut("", 0).empty());
  CHECK(Utf8Cut("abc", 3) == "abc");
  CHECK(Utf8Cut("\x80\x80", 2) == "\x80\x80");
  CHECK(Utf8Cut("abc", 0).empty());
}

TEST_CASE("no character is cut in two, and no more is lost than that character") {
  for (const std::string character : {"\u00e9", "\u20ac", "\U0001f600"}) {
    const std::string text = "ab" + character + "cd";
    for (size_t most = 0; most <= text.size(); ++most) {
      const bool is_inside = most > 2 && most < 2 + character.size();
      CHECK(Utf8Cut(text, most) == text.substr(0, is_inside ? 2 : most));
    }
  }
}

TEST_CASE("what is not UTF-8 loses nothing before the cut") {
  const std::string run(1000, '\x80');
  CHECK(Utf8Cut(run, 500).size() == 500);
  CHECK(Utf8Cut("a" + run, 3).size() == 3);         // 'a' begins nothing that lasts so long
  CHECK(Utf8Cut("\xf0" + run, 3).size() == 0);      // a character of four bytes
  CHECK(Utf8Cut("\xf0" + run, 5).size() == 5);      // more than any character has
  CHECK(Utf8Cut("ab\xff\xff\xff", 4).size() == 4);  // a byte that begins nothing is left out alone
}

}  // namespace
}  // namespace geckoprof
