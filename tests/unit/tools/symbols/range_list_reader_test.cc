#include "tools/symbols/range_list_reader.h"

#include <dwarf.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Ranges = RangeListReader::Ranges;

TEST_CASE("lists of DWARF 4 are relative to the unit, or to a base of their own") {
  const uint8_t bytes[] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0,
                           3, 0, 0, 0, 4, 0, 0, 0, 0,    0,    0,    0,    0, 0, 0, 0};
  RangeListReader::Unit unit;
  unit.version = 4;
  unit.address_bytes = 4;
  unit.base_svma = 0x1000;
  unit.ranges = bytes;
  Ranges ranges;
  REQUIRE(RangeListReader(unit).AppendAt(0, &ranges));
  CHECK(ranges == Ranges{{0x1001, 0x1002}, {0x103, 0x104}});
  ranges.clear();
  CHECK_FALSE(RangeListReader(unit).AppendAt(28, &ranges));  // the end is missing
  CHECK_FALSE(RangeListReader(unit).AppendAt(UINT64_MAX, &ranges));
}

TEST_CASE("every kind of entry of DWARF 5") {
  const uint8_t addresses[] = {0, 0x10, 0, 0, 0, 0x20, 0, 0};
  const uint8_t lists[] = {4,
                           0,
                           0,
                           0,  // the table: list 0 is 4 bytes on
                           DW_RLE_startx_endx,
                           0,
                           1,
                           DW_RLE_startx_length,
                           1,
                           5,
                           DW_RLE_base_addressx,
                           1,
                           DW_RLE_offset_pair,
                           1,
                           2,
                           DW_RLE_base_address,
                           0,
                           0x30,
                           0,
                           0,
                           DW_RLE_offset_pair,
                           3,
                           4,
                           DW_RLE_start_end,
                           1,
                           0,
                           0,
                           0,
                           2,
                           0,
                           0,
                           0,
                           DW_RLE_start_length,
                           7,
                           0,
                           0,
                           0,
                           1,
                           DW_RLE_end_of_list};
  RangeListReader::Unit unit;
  unit.version = 5;
  unit.address_bytes = 4;
  unit.addresses = addresses;
  unit.rnglists = lists;
  const RangeListReader reader(unit);
  Ranges ranges;
  REQUIRE(reader.AppendIndexed(0, &ranges));
  CHECK(ranges == Ranges{{0x1000, 0x2000}, {0x2000, 0x2005}, {0x2001, 0x2002}, {0x3003, 0x3004}, {1, 2}, {7, 8}});
  CHECK(reader.IndexedAddress(1) == 0x2000);
  CHECK_FALSE(reader.IndexedAddress(2).has_value());
  CHECK_FALSE(reader.AppendIndexed(UINT64_MAX, &ranges));
  const uint8_t broken[] = {0x77};
  unit.rnglists = broken;
  CHECK_FALSE(RangeListReader(unit).AppendAt(0, &ranges));
}

}  // namespace
}  // namespace geckoprof
