#include "tools/report/html/page_columns.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a text is there once, clean, and only if it is asked for") {
  ProfileModel model;
  model.strings = {"a\x1b[31m", "never", "b", "a?[31m"};
  PageStrings strings(model);
  CHECK(strings.OfRow(2) == 0);
  CHECK(strings.OfRow(0) == 1);
  CHECK(strings.OfRow(3) == 1);
  CHECK(strings.Of("b") == 0);
  CHECK(strings.OfRow(kNoRow) == kNoRow);
  CHECK(strings.texts() == std::vector<std::string>{"b", "a?[31m"});
  CHECK(strings.cut() == 0);
}

TEST_CASE("long texts are cut between characters") {
  ProfileModel model;
  PageStrings strings(model);
  std::string text(PageStrings::kMostBytes - 1, 'x');
  strings.Of(text + "é");
  CHECK(strings.texts()[0] == text + "…");
  CHECK(strings.cut() == 1);
  CHECK(PageStrings::Shown(std::string(5000, '\x80')) == std::string(PageStrings::kMostBytes, '?') + "…");
}

}  // namespace
}  // namespace geckoprof
