#include "tools/symbols/die_scanner.h"

#include <dwarf.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// 1: unit with children; 2: function with children, low and high pc; 3: a type that is only skipped; 4: inlined.
const std::vector<uint8_t> kAbbrevs = {1,
                                       DW_TAG_compile_unit,
                                       1,
                                       0,
                                       0,
                                       2,
                                       DW_TAG_subprogram,
                                       1,
                                       DW_AT_low_pc,
                                       DW_FORM_addr,
                                       DW_AT_high_pc,
                                       DW_FORM_data1,
                                       0,
                                       0,
                                       3,
                                       DW_TAG_base_type,
                                       0,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       DW_AT_byte_size,
                                       DW_FORM_data2,
                                       0,
                                       0,
                                       4,
                                       DW_TAG_inlined_subroutine,
                                       0,
                                       DW_AT_call_line,
                                       DW_FORM_implicit_const,
                                       42,
                                       DW_AT_call_file,
                                       DW_FORM_udata,
                                       0,
                                       0,
                                       0};

// With the end of the first declaration that is written short above: name and form of 1 are 0 0.
DieScanner::Unit UnitOf(const std::vector<uint8_t>& info) {
  DieScanner::Unit unit;
  unit.info = info;
  unit.abbrevs = kAbbrevs;
  unit.version = 5;
  return unit;
}

TEST_CASE("every entry comes once, with its depth and what says where it is") {
  const std::vector<uint8_t> info = {1, 3, 'i', 'n', 't', 0, 4, 0, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 4, 7, 0, 0};
  DieScanner scanner(UnitOf(info));
  DieScanner::Die die;
  REQUIRE(scanner.Next(&die));
  CHECK(die.tag == DW_TAG_compile_unit);
  CHECK(die.depth == 0);
  REQUIRE(scanner.Next(&die));
  CHECK(die.tag == DW_TAG_base_type);
  CHECK(die[DieScanner::kName].form == 0);  // not handed on of types
  REQUIRE(scanner.Next(&die));
  CHECK(die.tag == DW_TAG_subprogram);
  CHECK(die.depth == 1);
  CHECK(scanner.Address(die[DieScanner::kLowPc]) == 0x1000);
  CHECK(scanner.Number(die[DieScanner::kHighPc]) == 0x20);
  CHECK_FALSE(scanner.Number(die[DieScanner::kRanges]).has_value());
  const uint64_t function = die.offset;
  REQUIRE(scanner.Next(&die));
  CHECK(die.depth == 2);
  CHECK(scanner.Number(die[DieScanner::kCallLine]) == 42);
  CHECK(scanner.Number(die[DieScanner::kCallFile]) == 7);
  CHECK_FALSE(scanner.Next(&die));
  CHECK(scanner.is_sound());
  REQUIRE(scanner.ReadAt(function, &die));
  CHECK(die.tag == DW_TAG_subprogram);
  CHECK_FALSE(scanner.ReadAt(1'000'000, &die));
}

TEST_CASE("what follows no rules ends the scan") {
  DieScanner::Die die;
  const std::vector<uint8_t> unknown_code = {1, 99};
  DieScanner first(UnitOf(unknown_code));
  CHECK(first.Next(&die));
  CHECK_FALSE(first.Next(&die));
  CHECK_FALSE(first.is_sound());
  const std::vector<uint8_t> cut = {1, 2, 0x00, 0x10};
  DieScanner second(UnitOf(cut));
  CHECK(second.Next(&die));
  CHECK_FALSE(second.Next(&die));
  CHECK_FALSE(second.is_sound());
  DieScanner::Unit unit = UnitOf(cut);
  unit.abbrev_offset = 1'000;
  CHECK_FALSE(DieScanner(unit).is_sound());
  unit = UnitOf(cut);
  unit.address_bytes = 200;
  CHECK_FALSE(DieScanner(unit).is_sound());
}

}  // namespace
}  // namespace geckoprof
