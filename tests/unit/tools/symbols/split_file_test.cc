#include "tools/symbols/split_file.h"

#include <dwarf.h>

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/tools/symbols/elf_file_builder.h"

namespace geckoprof {
namespace {

std::string Words(std::initializer_list<uint32_t> words) {
  std::string bytes;
  for (const uint32_t word : words) bytes += BytesOf(word);
  return bytes;
}

// A unit header of DWARF 5 with this id, and one byte of content.
std::string UnitBytes(uint64_t dwo_id) {
  const std::string rest = BytesOf(uint16_t{5}) + '\x05' + '\x08' + BytesOf(uint32_t{0}) + BytesOf(dwo_id) + '\x01';
  return BytesOf(static_cast<uint32_t>(rest.size())) + rest;
}

TEST_CASE("units of a .dwo are found by their id") {
  ElfFileBuilder file;
  file.Add(".debug_info.dwo", SHT_PROGBITS, UnitBytes(11) + UnitBytes(22));
  file.Add(".debug_abbrev.dwo", SHT_PROGBITS, std::string("\1\x11\0\0\0\0", 6));
  const auto split = SplitFile::Open(file.Write());
  REQUIRE(split.ok());
  const auto unit = (*split)->Find(22);
  REQUIRE(unit.has_value());
  CHECK(unit->unit_start == UnitBytes(11).size());
  CHECK(unit->scan.version == 5);
  CHECK((*split)->Find(11).has_value());
  CHECK_FALSE((*split)->Find(33).has_value());
  CHECK_FALSE(SplitFile::Open("/nowhere").ok());
}

TEST_CASE("units of a .dwp are found through its index") {
  const std::string unit = UnitBytes(11), other = UnitBytes(22);
  const auto first = static_cast<uint32_t>(unit.size()), second = static_cast<uint32_t>(other.size());
  // Two columns (info, abbrev), two units, four slots.
  std::string index = Words({5, 2, 2, 4});
  for (const uint64_t id : {uint64_t{0}, uint64_t{22}, uint64_t{0}, uint64_t{11}}) index += BytesOf(id);
  index += Words({0, 2, 0, 1, 1, 3, 0, 0, first, 6, first, 6, second, 6});
  const auto find = [&](const std::string& index_bytes, uint64_t id) {
    ElfFileBuilder file;
    file.Add(".debug_info.dwo", SHT_PROGBITS, unit + other);
    file.Add(".debug_abbrev.dwo", SHT_PROGBITS, std::string("\1\x11\0\0\0\0\1\x11\0\0\0\0", 12));
    file.Add(".debug_cu_index", SHT_PROGBITS, index_bytes);
    const auto split = SplitFile::Open(file.Write());
    REQUIRE(split.ok());
    return (*split)->Find(id).has_value();
  };
  CHECK(find(index, 11));
  CHECK(find(index, 22));
  CHECK_FALSE(find(index, 33));
  for (size_t length = 1; length < index.size(); ++length) CHECK_FALSE(find(index.substr(0, length), 11));
  std::string huge = index;
  huge[8] = huge[9] = huge[10] = '\xff';  // units
  CHECK_FALSE(find(huge, 11));
}

TEST_CASE("names by number, through references, and references that come back") {
  const std::vector<uint8_t> abbrevs = {1,
                                        DW_TAG_subprogram,
                                        0,
                                        DW_AT_linkage_name,
                                        DW_FORM_strx1,
                                        0,
                                        0,  //
                                        2,
                                        DW_TAG_inlined_subroutine,
                                        0,
                                        DW_AT_abstract_origin,
                                        DW_FORM_ref1,
                                        0,
                                        0,  //
                                        3,
                                        DW_TAG_subprogram,
                                        0,
                                        DW_AT_name,
                                        DW_FORM_string,
                                        DW_AT_specification,
                                        DW_FORM_ref1,
                                        0,
                                        0,
                                        0};
  // The entries: 0 has the name 1, 2 refers to 0, 4 refers to itself, 6 has the name "a" and refers to 0. The number of
  // the name of 10 is too large.
  const std::vector<uint8_t> info = {1, 1, 2, 0, 2, 4, 3, 'a', 0, 4, 1, 9};
  const std::vector<uint8_t> strings = {'x', 0, '_', 'Z', '1', 'f', 'v', 0};
  const std::vector<uint8_t> offsets = {0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
  SplitUnit unit;
  unit.scan.info = info;
  unit.scan.abbrevs = abbrevs;
  unit.scan.version = 5;
  unit.strings = strings;
  unit.string_offsets = offsets;
  SplitNameReader reader(unit);
  CHECK(reader.NameOf(0) == "_Z1fv");
  CHECK(reader.NameOf(2) == "_Z1fv");
  CHECK(reader.NameOf(4).empty());
  CHECK(reader.NameOf(6) == "a");  // what it refers to has no name either
  CHECK(reader.NameOf(10).empty());
  CHECK(reader.NameOf(10'000).empty());
}

}  // namespace
}  // namespace geckoprof
