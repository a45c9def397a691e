#include <catch2/catch.hpp>

#include "entry_bytes.h"
#include "segment_tables.h"

namespace geckoprof {
namespace {

struct Reading {
  Reading() { profile.categories = {{"Idle", "transparent", {"Other"}}, {"Work", "blue", {"Other", "Inner"}}}; }
  bool Category(uint64_t number, std::string_view name, std::string_view color) {
    const EntryBytes entry(EntryType::kCategory, [&](EntryBuilder& out) { out.U(number).T(name).T(color); });
    Leb128Reader reader(entry.fields());
    return rows.ReadCategory(reader);
  }
  bool Subcategory(uint64_t category, uint64_t number, std::string_view name) {
    const EntryBytes entry(EntryType::kSubcategory, [&](EntryBuilder& out) { out.U(category).U(number).T(name); });
    Leb128Reader reader(entry.fields());
    return rows.ReadSubcategory(reader);
  }
  bool IsAt(uint64_t pair, int32_t category, int32_t subcategory) const {
    const CategoryRows::Place place = rows.Find(pair);
    return place.category == category && place.subcategory == subcategory;
  }

  ProcessProfile profile;
  CategoryRows rows{&profile};
};

TEST_CASE("category rows: those of the list are numbered as they stand; a subcategory that there is not is the first") {
  const Reading reading;
  CHECK(reading.IsAt(0x000, 0, 0));
  CHECK(reading.IsAt(0x100, 1, 0));
  CHECK(reading.IsAt(0x101, 1, 1));
  CHECK(reading.IsAt(0x102, 1, 0));
  CHECK(reading.IsAt(0x1ff, 1, 0));
  CHECK(reading.IsAt(0x200, kNone, kNone));
  CHECK(reading.IsAt(256 << 8, kNone, kNone));
  CHECK(reading.IsAt(UINT64_MAX, kNone, kNone));
}

TEST_CASE("category rows: what the program added has numbers of its own") {
  Reading reading;
  REQUIRE(reading.Category(256, "Physics", "magenta"));
  REQUIRE(reading.Category(258, "Sound", "no colour"));
  REQUIRE(reading.Subcategory(256, 128, "Collisions"));
  REQUIRE(reading.Subcategory(1, 128, "Of mine"));
  REQUIRE(reading.Subcategory(1, 129, "Of mine, too"));
  REQUIRE(reading.profile.categories.size() == 4);
  CHECK(reading.profile.categories[2].name == "Physics");
  CHECK(reading.profile.categories[2].color == "magenta");
  CHECK(reading.profile.categories[2].subcategories == std::vector<std::string>{"Other", "Collisions"});
  CHECK(reading.profile.categories[3].color == "grey");
  CHECK(reading.profile.categories[1].subcategories ==
        std::vector<std::string>{"Other", "Inner", "Of mine", "Of mine, too"});
  CHECK(reading.IsAt(256 << 8, 2, 0));
  CHECK(reading.IsAt(256 << 8 | 128, 2, 1));
  CHECK(reading.IsAt(256 << 8 | 1, 2, 0));  // 1 is one of the list's numbers, of which it has none
  CHECK(reading.IsAt(257 << 8, kNone, kNone));
  CHECK(reading.IsAt(258 << 8, 3, 0));
  CHECK(reading.IsAt(0x101, 1, 1));
  CHECK(reading.IsAt(0x102, 1, 0));
  CHECK(reading.IsAt(0x180, 1, 2));
  CHECK(reading.IsAt(0x181, 1, 3));
  CHECK(reading.IsAt(2 << 8, kNone, kNone));  // its row is not its number
}

TEST_CASE("category rows: what makes no sense is not taken") {
  Reading reading;
  CHECK_FALSE(reading.Category(2, "Of the list?", "blue"));
  CHECK_FALSE(reading.Category(511, "Too many", "blue"));
  CHECK_FALSE(reading.Category(uint64_t{1} << 32 | 256, "Too large", "blue"));
  CHECK_FALSE(reading.Category(256, "", "blue"));
  CHECK_FALSE(reading.Category(256, std::string(64, 'x'), "blue"));
  REQUIRE(reading.Category(256, std::string(63, 'x'), "blue"));
  CHECK_FALSE(reading.Category(256, "Twice", "blue"));
  CHECK_FALSE(reading.Subcategory(257, 128, "Of nobody"));
  CHECK_FALSE(reading.Subcategory(uint64_t{1} << 40, 128, "Of nobody"));
  CHECK_FALSE(reading.Subcategory(256, 1, "Of the list?"));
  CHECK_FALSE(reading.Subcategory(256, 255, "Too many"));
  REQUIRE(reading.Subcategory(256, 254, "The last"));
  CHECK_FALSE(reading.Subcategory(256, 254, "Twice"));
  CHECK_FALSE(reading.Subcategory(256, 128, ""));
  CHECK(reading.profile.categories.size() == 3);
  CHECK(reading.profile.categories[2].subcategories.size() == 2);
  const uint8_t cut[] = {0x80, 0x02, 9, 'a'};
  Leb128Reader reader(cut);
  CHECK_FALSE(reading.rows.ReadCategory(reader));
}

TEST_CASE("category rows: the last count of those that were refused") {
  Reading reading;
  for (const uint64_t count : {3, 5, 4}) {
    const EntryBytes entry(EntryType::kRefusedCategories, [&](EntryBuilder& out) { out.U(count); });
    Leb128Reader reader(entry.fields());
    CHECK(reading.rows.ReadRefused(reader));
  }
  CHECK(reading.rows.refused() == 5);
}

}  // namespace
}  // namespace geckoprof
