#include "geckoprof/base/text_builder.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("texts and numbers are put together") {
  char text[64];
  TextBuilder builder(text);
  builder.Text("/proc/").Number(123).Text("/").Number(0).Text("/").Number(-5);
  CHECK(builder.complete());
  CHECK(std::string(text) == "/proc/123/0/-5");
  CHECK(builder.view() == "/proc/123/0/-5");
}

TEST_CASE("the smallest number is written whole") {
  char text[32];
  CHECK(TextBuilder(text).Number(INT64_MIN).view() == "-9223372036854775808");
}

TEST_CASE("what does not fit is cut, terminated and told") {
  char text[4];
  TextBuilder builder(text);
  builder.Text("abcdef");
  CHECK_FALSE(builder.complete());
  CHECK(std::string(text) == "abc");
}

}  // namespace
}  // namespace geckoprof
