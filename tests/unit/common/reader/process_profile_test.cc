#include "geckoprof/reader/process_profile.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("string table: texts of every size come back, also after the table was moved or copied") {
  std::vector<std::string> texts = {"", "a", std::string(3, '\0'), std::string(127, 'x'), std::string(128, 'y')};
  for (size_t i = 0; i < 3'000; ++i) texts.push_back(std::string(i % 97, 'z') + std::to_string(i));
  for (const size_t size : {65'530, 65'536, 200'000, 5}) texts.emplace_back(size, 'b');
  StringTable table;
  for (const std::string& text : texts) table.push_back(text);
  REQUIRE(table.size() == texts.size());
  const std::string_view early = table[3];
  const StringTable copy = table;
  const StringTable moved = std::move(table);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (moved[i] != texts[i] || copy[i] != texts[i]) FAIL("text " << i);
  }
  CHECK(early == texts[3]);
  CHECK(early.data() == moved[3].data());
}

TEST_CASE("string table: a copy grows by itself") {
  const StringTable table = {"one", "two"};
  StringTable copy = table;
  copy.push_back("three");
  CHECK(table.size() == 2);
  CHECK(copy[1] == "two");
  CHECK(copy[2] == "three");
}

}  // namespace
}  // namespace geckoprof
