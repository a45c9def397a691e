#include "tools/symbols/die_ranges.h"

#include <dwarf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/unit/tools/symbols/elf_file_builder.h"
#include "tools/symbols/symbolizer.h"

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

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

template <typename T>
std::string Number(T number) {
  return BytesOf(number);
}

// A table of list offsets, and addresses, each behind the header of its contribution: where compilers' bases lead.
constexpr uint32_t kListsBase = 12, kAddressesBase = 8;

// What clang writes by default (DWARF 5) for a unit whose functions lie in two sections, by hand: whatever compilers
// are here, this is read. The unit's list is number `list`.
void AddUnitInPieces(ElfFileBuilder* file, int list) {
  file->AddSymbols(".symtab", SHT_SYMTAB, {"plain_name"});
  const std::string abbrevs = Bytes({1,
                                     DW_TAG_compile_unit,
                                     1,
                                     DW_AT_ranges,
                                     DW_FORM_rnglistx,
                                     DW_AT_rnglists_base,
                                     DW_FORM_sec_offset,
                                     DW_AT_addr_base,
                                     DW_FORM_sec_offset,
                                     DW_AT_low_pc,
                                     DW_FORM_addr,
                                     0,
                                     0,
                                     2,
                                     DW_TAG_subprogram,
                                     0,
                                     DW_AT_low_pc,
                                     DW_FORM_addrx,
                                     DW_AT_high_pc,
                                     DW_FORM_data4,
                                     DW_AT_name,
                                     DW_FORM_string,
                                     0,
                                     0,
                                     0});
  std::string unit = Number<uint16_t>(5) + Bytes({DW_UT_compile, 8}) + Number<uint32_t>(0);
  unit += Bytes({1, list}) + Number(kListsBase) + Number(kAddressesBase) + Number<uint64_t>(0);
  unit += Bytes({2, 0}) + Number<uint32_t>(0x10) + std::string("near") + Bytes({0});
  unit += Bytes({2, 1}) + Number<uint32_t>(0x20) + std::string("far") + Bytes({0, 0});
  const std::string one = Bytes({DW_RLE_startx_length, 0, 0x10, DW_RLE_end_of_list});
  const std::string both = Bytes({DW_RLE_startx_length, 0, 0x10, DW_RLE_startx_length, 1, 0x20, DW_RLE_end_of_list});
  std::string lists = Number<uint16_t>(5) + Bytes({8, 0}) + Number<uint32_t>(2);
  lists += Number<uint32_t>(8) + Number(static_cast<uint32_t>(8 + one.size())) + one + both;
  const std::string addresses =
      Number<uint16_t>(5) + Bytes({8, 0}) + Number<uint64_t>(0x1000) + Number<uint64_t>(0x8000);
  const auto with_length = [](const std::string& bytes) { return Number(static_cast<uint32_t>(bytes.size())) + bytes; };
  file->Add(".debug_abbrev", SHT_PROGBITS, abbrevs);
  file->Add(".debug_info", SHT_PROGBITS, with_length(unit));
  file->Add(".debug_rnglists", SHT_PROGBITS, with_length(lists));
  file->Add(".debug_addr", SHT_PROGBITS, with_length(addresses));
}

std::string NameAt(Symbolizer* symbolizer, const std::string& path, uint64_t svma) {
  const AddressSymbols* found = symbolizer->Find(path, "", svma);
  return found != nullptr ? std::string(found->frames.back().name) : "";
}

TEST_CASE("a unit names its list of ranges by number") {
  ElfFileBuilder file;
  AddUnitInPieces(&file, 1);
  const std::string path = file.Write();
  Symbolizer symbolizer({"/nowhere", {}, false});
  CHECK(NameAt(&symbolizer, path, 0x8010) == "far");
  CHECK(NameAt(&symbolizer, path, 0x1008) == "plain_name");  // the symbol's name goes before
  CHECK(NameAt(&symbolizer, path, 0x8020).empty());
  for (const std::string& problem : symbolizer.Problems()) CHECK(problem.find("broken") == std::string::npos);
}

TEST_CASE("the number counts from the base on") {
  ElfFileBuilder file;
  AddUnitInPieces(&file, 0);  // which has the near function alone
  const std::string path = file.Write();
  Symbolizer symbolizer({"/nowhere", {}, false});
  CHECK(NameAt(&symbolizer, path, 0x8010).empty());
}

TEST_CASE("a number that leads nowhere is told") {
  ElfFileBuilder file;
  AddUnitInPieces(&file, 100);
  const std::string path = file.Write();
  Symbolizer symbolizer({"/nowhere", {}, false});
  CHECK(NameAt(&symbolizer, path, 0x8010).empty());
  const std::vector<std::string> problems = symbolizer.Problems();
  CHECK(std::any_of(problems.begin(), problems.end(), [](const std::string& problem) {
    return problem.find("compile unit with broken debug information") != std::string::npos;
  }));
}

}  // namespace
}  // namespace geckoprof
