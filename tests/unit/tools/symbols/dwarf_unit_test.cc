#include "tools/symbols/dwarf_unit.h"

#include <dwarf.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a text counts if its zero lies in the same section") {
  const char bytes[] = {'a', 'b', 0, 'c', 'd', 'e', 0};
  const auto part = [&](size_t start, size_t size) {
    return std::span(reinterpret_cast<const uint8_t*>(bytes) + start, size);
  };
  DwarfText texts;
  CHECK(texts.Bounded(bytes).empty());
  texts.AddSection(part(0, 3));
  texts.AddSection(part(3, 2));
  CHECK(texts.Bounded(bytes) == "ab");
  CHECK(texts.Bounded(bytes + 1) == "b");
  CHECK(texts.Bounded(bytes + 2).empty());
  CHECK(texts.Bounded(bytes + 3).empty());  // its zero is behind the section
  CHECK(texts.Bounded(bytes + 5).empty());
  CHECK(texts.Bounded(nullptr).empty());
}

TEST_CASE("the sections of a file that have texts") {
  absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open("/proc/self/exe");
  REQUIRE(image.ok());
  DwarfText texts;
  texts.AddSections(**image);
  const std::span<const uint8_t> strings = (*image)->SectionBytes(".debug_str");
  if (strings.empty()) {
    WARN("this program has no debug information");
    return;
  }
  const char* first = reinterpret_cast<const char*>(strings.data());
  CHECK(texts.Bounded(first) == first);
  CHECK(texts.Bounded(first + strings.size()).empty());
}

// The rest is tested with what compilers write: dwarf_file_test.
TEST_CASE("functions of a unit without a line table, by hand") {
  const std::vector<uint8_t> abbrevs = {1,
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
                                        DW_TAG_inlined_subroutine,
                                        0,
                                        DW_AT_low_pc,
                                        DW_FORM_addr,
                                        DW_AT_high_pc,
                                        DW_FORM_data1,
                                        DW_AT_call_line,
                                        DW_FORM_data1,
                                        0,
                                        0,
                                        4,
                                        DW_TAG_lexical_block,
                                        1,
                                        0,
                                        0,
                                        0};
  // A function from 0x10; a part inlined at 0x18; a block with another one at 0x1c, beside the first.
  const std::vector<uint8_t> info = {1, 2, 0x10, 0,    0, 0, 0x10, 3, 0x18, 0, 0, 0, 4,
                                     7, 4, 3,    0x1c, 0, 0, 0,    2, 9,    0, 0, 0};
  DwarfUnit::Source source;
  source.scan.info = info;
  source.scan.abbrevs = abbrevs;
  source.scan.version = 4;
  source.scan.address_bytes = 4;
  source.ranges.version = 4;
  source.split.emplace();  // names are not libdw's
  source.split->scan = source.scan;
  DwarfUnit unit(source);
  REQUIRE(unit.is_sound());
  std::vector<SourceFrame> frames;
  REQUIRE(unit.Append(0x18, &frames));
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].line == 7);
  frames.clear();
  REQUIRE(unit.Append(0x1d, &frames));
  REQUIRE(frames.size() == 2);  // the block's is none of the one before it
  CHECK(frames[0].line == 9);
  frames.clear();
  REQUIRE(unit.Append(0x10, &frames));
  CHECK(frames.size() == 1);
  CHECK_FALSE(unit.Append(0x20, &frames));
  CHECK(unit.function_ranges().size() == 1);
}

TEST_CASE("a unit that follows no rules knows nothing") {
  const std::vector<uint8_t> nothing;
  DwarfUnit::Source source;
  source.scan.info = nothing;
  source.scan.abbrevs = nothing;
  DwarfUnit unit(source);
  CHECK_FALSE(unit.is_sound());
  std::vector<SourceFrame> frames;
  CHECK_FALSE(unit.Append(0x18, &frames));
}

TEST_CASE("the innermost range wins") {
  AddressMap map;
  map.Add(10, 100, 0);
  map.Add(20, 50, 1);
  map.Add(30, 40, 2);
  map.Add(60, 60, 3);  // empty
  map.Build();
  CHECK(map.Find(9) == AddressMap::kNone);
  CHECK(map.Find(10) == 0);
  CHECK(map.Find(20) == 1);
  CHECK(map.Find(30) == 2);
  CHECK(map.Find(40) == 1);
  CHECK(map.Find(50) == 0);
  CHECK(map.Find(60) == 0);
  CHECK(map.Find(99) == 0);
  CHECK(map.Find(100) == AddressMap::kNone);
  CHECK(map.Find(UINT64_MAX) == AddressMap::kNone);
}

// Against the plain definition: of the ranges at an address, the one added last.
TEST_CASE("ranges that cross, start or end together") {
  uint32_t random = 7;
  const auto next = [&](uint32_t limit) {
    random = random * 1664525 + 1013904223;
    return (random >> 10) % limit;
  };
  for (int round = 0; round < 200; ++round) {
    struct Range {
      uint64_t start, end;
    };
    std::vector<Range> ranges;
    AddressMap map;
    for (uint32_t i = 0; i < 12; ++i) {
      const uint64_t start = next(40), end = start + next(20);
      ranges.push_back({start, end});
      map.Add(start, end, i);
    }
    map.Build();
    for (uint64_t address = 0; address < 64; ++address) {
      uint32_t expected = AddressMap::kNone;
      for (uint32_t i = 0; i < ranges.size(); ++i) {
        if (address >= ranges[i].start && address < ranges[i].end) expected = i;
      }
      CHECK(map.Find(address) == expected);
    }
  }
}

TEST_CASE("nothing added, nothing found") {
  AddressMap map;
  map.Build();
  CHECK(map.Find(0) == AddressMap::kNone);
}

}  // namespace
}  // namespace geckoprof
