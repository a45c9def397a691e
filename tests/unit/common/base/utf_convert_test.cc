#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/base/utf8.h"

namespace geckoprof {
namespace {

std::string Converted(std::u16string_view text) {
  std::string converted;
  for (size_t i = 0; i < text.size(); ++i) {
    char bytes[4];
    converted.append(bytes, EncodeUtf8(Utf16Character(text, i), bytes));
  }
  return converted;
}

TEST_CASE("the first and the last character of each length") {
  CHECK(Converted(u"\u0001\u007f") == "\u0001\u007f");
  CHECK(Converted(u"\u0080\u07ff") == "\u0080\u07ff");
  CHECK(Converted(u"\u0800\ud7ff\ue000\uffff") == "\u0800\ud7ff\ue000\uffff");
  CHECK(Converted(u"\U00010000\U0010ffff") == "\U00010000\U0010ffff");
  CHECK(Converted(std::u16string(1, u'\0')) == std::string(1, '\0'));
}

TEST_CASE("half a pair of surrogates becomes the replacement character") {
  const std::u16string first(1, 0xd83d), second(1, 0xde00);
  CHECK(Converted(first + second) == "\U0001f600");
  CHECK(Converted(first) == "\ufffd");
  CHECK(Converted(second) == "\ufffd");
  CHECK(Converted(first + u"a") == "\ufffda");
  CHECK(Converted(first + first + second) == "\ufffd\U0001f600");
  CHECK(Converted(second + first) == "\ufffd\ufffd");
}

}  // namespace
}  // namespace geckoprof
