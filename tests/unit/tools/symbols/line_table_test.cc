#include "tools/symbols/line_table.h"

#include <dwarf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/unit/tools/symbols/line_program_builder.h"

namespace geckoprof {
namespace {

LineTable TableOf(const std::vector<uint8_t>& lines) {
  LineHeader::Source source;
  source.lines = lines;
  return LineTable(source);
}

// The line at the address; 0: none.
uint32_t LineAt(const LineTable& table, uint64_t svma) {
  const LineTable::Row* row = table.Find(svma);
  return row != nullptr ? row->line : 0;
}

TEST_CASE("rows of every version, sorted, with the ends of sequences") {
  for (const int version : {2, 3, 4, 5}) {
    for (const size_t offset_bytes : {4, 8}) {
      INFO(version << ' ' << offset_bytes);
      const std::vector<uint8_t> bytes = SimpleLineTable(version, offset_bytes);
      const LineTable table = TableOf(bytes);
      REQUIRE(table.is_sound());
      CHECK(table.size_bytes() == bytes.size());
      CHECK(table.rows().size() == 5);
      CHECK(table.file_count() == 2);
      CHECK(table.FileName(1, "/build") == "/build/inc/a.h");
      CHECK(LineAt(table, 0x4ff) == 0);
      CHECK(LineAt(table, 0x500) == 2);
      CHECK(LineAt(table, 0x501) == 0);
      CHECK(LineAt(table, 0xfff) == 0);
      CHECK(LineAt(table, 0x1000) == 1);
      CHECK(LineAt(table, 0x1003) == 1);
      CHECK(LineAt(table, 0x1008) == 0);
      const LineTable::Row* row = table.Find(0x1007);
      REQUIRE(row != nullptr);
      CHECK(row->line == 10);
      CHECK(row->column == 7);
      CHECK(row->file == 1);
    }
  }
}

TEST_CASE("every opcode") {
  LineProgramBuilder builder(4, 4, 2);
  builder.Bytes({0}).Text("a.c").Bytes({0, 0, 0, 0}).EndHeader();
  builder.SetAddress(0x100).Bytes({DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_prologue_end});
  builder.Bytes({DW_LNS_set_epilogue_begin, DW_LNS_set_isa, 0x81, 1, 0, 2, DW_LNE_set_discriminator, 3});
  builder.Bytes({DW_LNS_copy, DW_LNS_const_add_pc, DW_LNS_advance_line, 5, DW_LNS_copy});  // 20 instructions on
  builder.Bytes({DW_LNS_fixed_advance_pc, 3, 0, DW_LNS_advance_line, 0x7e, DW_LNS_copy});  // 3 bytes, 2 lines back
  builder.Bytes({0, 6, DW_LNE_define_file}).Text("b").Bytes({0, 0, 0, DW_LNS_set_file, 2});
  builder.Bytes({0, 3, 0x90, 1, 1, 13 + 2 * 12 + 5}).Bytes({DW_LNS_advance_pc, 1}).EndSequence();
  const std::vector<uint8_t> bytes = builder.Build();
  const LineTable table = TableOf(bytes);
  REQUIRE(table.is_sound());
  const std::vector<LineTable::Row>& rows = table.rows();
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].svma == 0x100);
  CHECK(rows[0].line == 1);
  CHECK(rows[1].svma == 0x100 + 40);
  CHECK(rows[1].line == 6);
  CHECK(rows[2].svma == 0x100 + 43);
  CHECK(rows[2].line == 4);
  CHECK(rows[2].file == 1);
  CHECK(rows[3].svma == 0x100 + 47);
  CHECK(rows[3].line == 6);
  CHECK(table.FileName(rows[3].file, "") == "b");
  CHECK(rows[4].svma == 0x100 + 49);
  CHECK(rows[4].file == LineTable::kEnd);
}

TEST_CASE("several operations in an instruction") {
  LineProgramBuilder builder(4, 4, 16, 3);
  builder.Bytes({0, 0}).EndHeader().SetAddress(0x100).Bytes(
      {DW_LNS_copy, 13 + 2 * 12 + 4, 13 + 12 + 4, 13 + 4 * 12 + 4});
  const std::vector<uint8_t> bytes = builder.Bytes({DW_LNS_advance_pc, 2}).EndSequence().Build();
  const LineTable table = TableOf(bytes);
  REQUIRE(table.is_sound());
  std::vector<uint64_t> addresses;
  for (const LineTable::Row& row : table.rows()) addresses.push_back(row.svma);
  CHECK(addresses == std::vector<uint64_t>{0x100, 0x100, 0x110, 0x120, 0x130});
}

TEST_CASE("where one sequence ends the next one's line counts, whichever comes first in the file") {
  for (const bool is_swapped : {false, true}) {
    LineProgramBuilder builder(3);
    builder.Bytes({0, 0}).EndHeader();
    for (const bool is_second : {is_swapped, !is_swapped}) {
      builder.SetAddress(is_second ? 0x110 : 0x100).Bytes({DW_LNS_advance_line, is_second ? 1 : 0, DW_LNS_copy});
      // A row at the end has no bytes.
      builder.Bytes({DW_LNS_advance_pc, 0x10, DW_LNS_advance_line, 20, DW_LNS_copy}).EndSequence();
    }
    const std::vector<uint8_t> bytes = builder.Build();
    const LineTable table = TableOf(bytes);
    CHECK(LineAt(table, 0x10f) == 1);
    CHECK(LineAt(table, 0x110) == 2);
    CHECK(LineAt(table, 0x11f) == 2);
    CHECK(LineAt(table, 0x120) == 0);
  }
}

TEST_CASE("functions that the linker left out, and a sequence without an end") {
  LineProgramBuilder builder(3);
  builder.Bytes({0, 0}).EndHeader().SetAddress(0).Bytes({DW_LNS_copy, DW_LNS_advance_pc, 0xff, 1}).EndSequence();
  builder.SetAddress(0x10).Bytes({DW_LNS_copy, DW_LNS_advance_pc, 2, DW_LNS_copy});
  const std::vector<uint8_t> bytes = builder.Build();
  const LineTable table = TableOf(bytes);
  REQUIRE(table.is_sound());
  CHECK(LineAt(table, 0x8) == 0);
  CHECK(LineAt(table, 0x11) == 1);
  CHECK(LineAt(table, 0x12) == 0);
}

TEST_CASE("programs that follow no rules have no rows") {
  const std::vector<std::vector<int>> programs = {{0, 0},                           // no length
                                                  {0, 0x7f, 1},                     // behind the end
                                                  {0, 1, DW_LNE_set_address},       // no address
                                                  {0, 2, DW_LNE_define_file, 'a'},  // no end
                                                  {DW_LNS_advance_pc, 0x80}};
  for (const std::vector<int>& program : programs) {
    LineProgramBuilder builder(3);
    builder.Bytes({0, 0}).EndHeader().SetAddress(0x10).Bytes({DW_LNS_copy, DW_LNS_advance_pc, 2}).EndSequence();
    for (const int byte : program) builder.Bytes({byte});
    const std::vector<uint8_t> bytes = builder.Build();
    const LineTable table = TableOf(bytes);
    CHECK_FALSE(table.is_sound());
    CHECK(table.rows().empty());
    CHECK(table.file_count() == 0);
  }
}

// In memory of exactly its size, so that a sanitizer sees what is read behind it.
void ReadAll(const std::vector<uint8_t>& bytes) {
  const auto copy = std::make_unique<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  LineHeader::Source source;
  source.lines = {copy.get(), bytes.size()};
  source.line_strings = source.strings = source.string_offsets = source.lines;
  const LineTable table(source);
  CHECK(table.rows().size() <= bytes.size());
  CHECK(table.size_bytes() <= bytes.size());
  for (size_t i = 0; i <= table.file_count(); ++i) CHECK(table.FileName(i, "/build").size() <= 3 * 4096 + 9);
  for (const LineTable::Row& row : table.rows()) table.Find(row.svma);
}

TEST_CASE("tables cut off at every byte, with the lengths as they were and with lengths that fit") {
  for (const int version : {2, 3, 4, 5}) {
    for (const size_t offset_bytes : {4, 8}) {
      const std::vector<uint8_t> whole = SimpleLineTable(version, offset_bytes);
      for (size_t size = 0; size < whole.size(); ++size) {
        std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        ReadAll(cut);
        CHECK_FALSE(TableOf(cut).is_sound());
        const size_t start = offset_bytes == 8 ? 4 : 0;
        if (size < start + offset_bytes) continue;
        cut[start] = static_cast<uint8_t>(size - start - offset_bytes);
        ReadAll(cut);
      }
    }
  }
}

TEST_CASE("spoiled tables give no crash and no endless work") {
  uint32_t random = 7;
  const auto next = [&](size_t limit) {
    random = random * 1664525 + 1013904223;
    return static_cast<size_t>(random >> 8) % limit;
  };
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes = SimpleLineTable(2 + round % 4, round % 3 == 0 ? 8 : 4);
    const size_t first = round % 2 == 0 ? 0 : 20;
    for (size_t i = 0, changes = 1 + next(5); i < changes; ++i) {
      bytes[first + next(bytes.size() - first)] = static_cast<uint8_t>(next(256));
    }
    ReadAll(bytes);
  }
}

}  // namespace
}  // namespace geckoprof
