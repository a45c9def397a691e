#include "geckoprof/json/unique_strings.h"

#include <catch2/catch.hpp>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {
namespace {

TEST_CASE("texts are numbered in order of first use") {
  UniqueStrings strings;
  CHECK(strings.Intern("a") == 0);
  CHECK(strings.Intern("") == 1);
  CHECK(strings.Intern("b") == 2);
  CHECK(strings.Intern("a") == 0);
  CHECK(strings.Intern("") == 1);
  CHECK(strings.Intern(std::string_view("a\0b", 3)) == 3);
  CHECK(strings.size() == 4);
  CHECK(strings.At(2) == "b");
}

TEST_CASE("many texts keep their numbers while the table grows") {
  UniqueStrings strings;
  for (uint32_t i = 0; i < 10'000; ++i) REQUIRE(strings.Intern("text " + std::to_string(i)) == i);
  for (uint32_t i = 0; i < 10'000; ++i) REQUIRE(strings.Intern("text " + std::to_string(i)) == i);
  CHECK(strings.At(9'999) == "text 9999");
}

TEST_CASE("a copy numbers on; Clear starts again") {
  UniqueStrings first;
  first.Intern("x");
  UniqueStrings copy = first;
  CHECK(copy.Intern("x") == 0);
  CHECK(copy.Intern("y") == 1);
  CHECK(first.size() == 1);
  CHECK(first.Intern("z") == 1);
  first.Clear();
  CHECK(first.size() == 0);
  CHECK(first.Intern("z") == 0);
}

TEST_CASE("the table as JSON") {
  UniqueStrings strings;
  strings.Intern("a\"b");
  strings.Intern("c");
  std::string text;
  JsonWriter writer(StringSink(&text));
  strings.WriteArray(writer);
  REQUIRE(writer.Finish());
  CHECK(text == R"(["a\"b","c"])");
}

}  // namespace
}  // namespace geckoprof
