#include "tools/symbols/abbrev_table.h"

#include <dwarf.h>

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("every form is of one kind") {
  for (uint16_t form = 0; form < 0x2000; ++form) {
    CHECK((FixedFormBytes(form) != 0) + IsUlebForm(form) + IsOffsetForm(form) <= 1);
  }
  CHECK(FixedFormBytes(DW_FORM_data16) == 16);
  CHECK(FixedFormBytes(DW_FORM_addr) == 0);  // the unit says how wide
  CHECK(IsUlebForm(DW_FORM_strx));
  CHECK(IsOffsetForm(DW_FORM_line_strp));
}

TEST_CASE("attributes of no interest are skipped in one go, the others have their place") {
  const std::vector<uint8_t> bytes = {7,
                                      DW_TAG_subprogram,
                                      1,
                                      DW_AT_decl_line,
                                      DW_FORM_data2,
                                      DW_AT_external,
                                      DW_FORM_flag,
                                      DW_AT_low_pc,
                                      DW_FORM_addr,
                                      0,
                                      0,  // 7
                                      2,
                                      DW_TAG_base_type,
                                      0,
                                      DW_AT_name,
                                      DW_FORM_strp,
                                      0,
                                      0,
                                      0};
  const AbbrevTable table({bytes, 0, 8, 4});
  REQUIRE(table.is_sound());
  CHECK(table.read_bytes() == bytes.size());
  const AbbrevTable::Abbrev* const function = table.Find(7);
  REQUIRE(function != nullptr);
  CHECK(function->tag == DW_TAG_subprogram);
  CHECK(function->has_children);
  const auto attributes = table.AttributesOf(*function);
  REQUIRE(attributes.size() == 2);
  CHECK(attributes[0].form == 0);
  CHECK(attributes[0].fixed_bytes == 3);
  CHECK(attributes[1].slot == DieSlot::kLowPc);
  CHECK(attributes[1].fixed_bytes == 8);
  REQUIRE(table.Find(2) != nullptr);
  CHECK(table.AttributesOf(*table.Find(2))[0].fixed_bytes == 4);  // as wide as an offset
  CHECK(table.Find(1) == nullptr);
  CHECK(table.Find(0) == nullptr);
  CHECK(table.size_bytes() > 0);
}

TEST_CASE("no table, or one that is cut") {
  CHECK_FALSE(AbbrevTable({}).is_sound());
  const std::vector<uint8_t> bytes = {1, DW_TAG_subprogram, 1, DW_AT_low_pc};
  CHECK_FALSE(AbbrevTable({bytes, 0, 8, 4}).is_sound());
  CHECK_FALSE(AbbrevTable({bytes, 100, 8, 4}).is_sound());
}

TEST_CASE("a table is read once for each place and width") {
  const std::vector<uint8_t> bytes = {
      1, DW_TAG_base_type, 0, DW_AT_name, DW_FORM_strp, 0, 0, 0, 1, DW_TAG_base_type, 0, 0, 0, 0};
  AbbrevCache cache;
  const auto first = cache.Get({bytes, 0, 8, 4});
  REQUIRE(first->is_sound());
  CHECK(cache.Get({bytes, 0, 8, 4}) == first);
  CHECK(cache.Get({bytes, 8, 8, 4}) != first);
  const auto wide = cache.Get({bytes, 0, 8, 8});
  CHECK(wide->AttributesOf(*wide->Find(1))[0].fixed_bytes == 8);
}

// Every byte of one large table begins a table as well.
TEST_CASE("tables within a table are read until it is too much") {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 200'000; ++i) bytes.insert(bytes.end(), {1, 1, 1, 1, 1, 0, 0});
  AbbrevCache cache;
  size_t sound = 0;
  for (size_t offset = 0; offset < bytes.size(); offset += 7)
    sound += cache.Get({bytes, offset, 8, 4})->is_sound() ? 1 : 0;
  CHECK(sound >= AbbrevCache::kMaxRereads);
  CHECK(sound < 100);
}

}  // namespace
}  // namespace geckoprof
