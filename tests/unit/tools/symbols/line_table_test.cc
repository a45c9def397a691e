#include "tools/symbols/line_table.h"

#include <dwarf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/tools/symbols/line_program_builder.h"

namespace geckoprof {
namespace {

LineHeader::Source SourceOf(const std::vector<uint8_t>& lines) {
  LineHeader::Source source;
  source.lines = lines;
  return source;
}

TEST_CASE("directories and files up to DWARF 4, and one that the program adds") {
  for (const int version : {2, 3, 4}) {
    for (const size_t offset_bytes : {4, 8}) {
      LineProgramBuilder builder(version, offset_bytes);
      builder.Text("inc").Text("/usr/include").Bytes({0});
      builder.Text("a.c").Bytes({0, 0, 0}).Text("b.h").Bytes({1, 0x80, 1, 0}).Text("c.h").Bytes({2, 0, 0});
      builder.Text("/d.h").Bytes({1, 0, 0}).Text("e.h").Bytes({9, 0, 0, 0}).EndHeader();
      builder.Text("f.h").Bytes({1, 0, 0});
      const std::vector<uint8_t> bytes = builder.Build();
      LineHeader header(SourceOf(bytes));
      REQUIRE(header.is_sound());
      CHECK(header.size_bytes() == bytes.size());
      CHECK(header.line_base() == -3);
      CHECK(header.line_range() == 12);
      CHECK(header.opcode_base() == 13);
      CHECK(header.operand_count(DW_LNS_fixed_advance_pc) == 1);
      CHECK(header.program().size() == 7);
      CHECK(header.file_count() == 6);
      CHECK(header.FileName(0, "/build").empty());
      CHECK(header.FileName(1, "/build") == "/build/a.c");
      CHECK(header.FileName(1, "") == "a.c");
      CHECK(header.FileName(2, "/build") == "/build/inc/b.h");
      CHECK(header.FileName(2, "") == "inc/b.h");
      CHECK(header.FileName(3, "/build") == "/usr/include/c.h");
      CHECK(header.FileName(4, "/build") == "/d.h");
      CHECK(header.FileName(5, "/build") == "e.h");  // there is no such directory
      ByteCursor cursor(header.program(), 0);
      header.AddFile(&cursor);
      CHECK(header.FileName(6, "/build") == "/build/inc/f.h");
      CHECK(header.FileName(7, "/build").empty());
    }
  }
}

// Directories and files as texts in place: files are {name, directory}.
std::vector<uint8_t> NewTable(std::initializer_list<const char*> directories,
                              std::initializer_list<std::pair<const char*, int>> files) {
  LineProgramBuilder builder(5);
  builder.Bytes({1, DW_LNCT_path, DW_FORM_string, static_cast<int>(directories.size())});
  for (const char* directory : directories) builder.Text(directory);
  builder.Bytes({2, DW_LNCT_path, DW_FORM_string, DW_LNCT_directory_index, DW_FORM_data1});
  builder.Bytes({static_cast<int>(files.size())});
  for (const auto& [name, directory] : files) builder.Text(name).Bytes({directory});
  return builder.EndHeader().Build();
}

TEST_CASE("relative names of DWARF 5 are below the directory that the unit was compiled in") {
  const std::vector<uint8_t> bytes =
      NewTable({"/b", "src", "/inc", ""}, {{"a.c", 0}, {"b.c", 1}, {"c.h", 2}, {"/d.c", 1}, {"e.c", 3}});
  const LineHeader header(SourceOf(bytes));
  REQUIRE(header.is_sound());
  for (const char* comp_dir : {"/b", "", "/elsewhere"}) {
    CHECK(header.FileName(0, comp_dir) == "/b/a.c");
    CHECK(header.FileName(1, comp_dir) == "/b/src/b.c");
    CHECK(header.FileName(2, comp_dir) == "/inc/c.h");
    CHECK(header.FileName(3, comp_dir) == "/d.c");
    CHECK(header.FileName(4, comp_dir) == "/b/e.c");
  }
  const std::vector<uint8_t> relative = NewTable({"build", "../src"}, {{"a.c", 0}, {"b.c", 1}});
  const LineHeader moved(SourceOf(relative));
  CHECK(moved.FileName(1, "/home") == "/home/build/../src/b.c");
  CHECK(moved.FileName(1, "build") == "build/../src/b.c");  // mapped away: nobody knows where it was
  CHECK(moved.FileName(0, "") == "build/a.c");
}

TEST_CASE("DWARF 5 names its files in whatever form it says") {
  const std::vector<uint8_t> line_strings = {'x', 0, '/', 'l', 0}, strings = {'y', 's', 0, 'i', 0, 'o', 'p', 'e', 'n'};
  for (const size_t offset_bytes : {4, 8}) {
    std::vector<uint8_t> string_offsets(8 + 2 * offset_bytes);
    string_offsets[8 + offset_bytes] = 3;
    LineProgramBuilder builder(5, offset_bytes);
    builder.Bytes({1, DW_LNCT_path, DW_FORM_line_strp, 1}).Number(2, offset_bytes);
    builder.Bytes({4, DW_LNCT_path, DW_FORM_strp, DW_LNCT_directory_index, DW_FORM_data2, DW_LNCT_MD5, DW_FORM_data16,
                   DW_LNCT_size, DW_FORM_block, 1});
    builder.Number(1, offset_bytes).Bytes({0, 0}).Number(0, 16).Bytes({2, 7, 7}).EndHeader();
    const std::vector<uint8_t> bytes = builder.Build();
    LineHeader::Source source = SourceOf(bytes);
    source.line_strings = line_strings;
    source.strings = strings;
    LineHeader header(source);
    REQUIRE(header.is_sound());
    CHECK(header.file_count() == 1);
    CHECK(header.FileName(0, "/build") == "/l/s");

    for (const auto& [form, width] : std::vector<std::pair<int, size_t>>{
             {DW_FORM_strx, 1}, {DW_FORM_strx1, 1}, {DW_FORM_strx2, 2}, {DW_FORM_strx3, 3}, {DW_FORM_strx4, 4}}) {
      LineProgramBuilder indexed(5, offset_bytes);
      indexed.Bytes({0, 0, 1, DW_LNCT_path, form, 3}).Number(1, width).Number(0, width).Number(99, width).EndHeader();
      const std::vector<uint8_t> indexed_bytes = indexed.Build();
      LineHeader::Source indexed_source = SourceOf(indexed_bytes);
      indexed_source.strings = strings;
      indexed_source.string_offsets = string_offsets;
      indexed_source.string_offsets_base = 8;
      LineHeader named(indexed_source);
      REQUIRE(named.is_sound());
      CHECK(named.FileName(0, "") == "i");
      CHECK(named.FileName(1, "") == "ys");
      CHECK(named.FileName(2, "").empty());
    }
  }
}

TEST_CASE("a text without an end, or longer than any path, is none") {
  std::vector<uint8_t> strings(6000, 'a');
  strings[5000] = 0;
  LineProgramBuilder builder(5);
  builder.Bytes({0, 0, 1, DW_LNCT_path, DW_FORM_strp, 4});
  for (const uint64_t at : {0, 4990, 5001, 60000}) builder.Number(at, 4);
  const std::vector<uint8_t> bytes = builder.EndHeader().Build();
  LineHeader::Source source = SourceOf(bytes);
  source.strings = strings;
  const LineHeader header(source);
  REQUIRE(header.is_sound());
  CHECK(header.FileName(0, "").empty());
  CHECK(header.FileName(1, "") == "aaaaaaaaaa");
  CHECK(header.FileName(2, "").empty());
  CHECK(header.FileName(3, "").empty());
}

TEST_CASE("tables that cannot be are refused") {
  const auto is_sound = [](LineProgramBuilder& builder) {
    const std::vector<uint8_t> bytes = builder.EndHeader().Build();
    return LineHeader(SourceOf(bytes)).is_sound();
  };
  LineProgramBuilder nothing(5), many(5), empty_entries(5), unknown(5), old(1), young(6);
  CHECK(is_sound(nothing.Bytes({0, 0, 0, 0})));
  CHECK_FALSE(is_sound(many.Bytes({1, DW_LNCT_path, DW_FORM_data1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0})));
  CHECK_FALSE(is_sound(empty_entries.Bytes({0, 0x7f, 0, 0})));
  CHECK_FALSE(is_sound(unknown.Bytes({1, DW_LNCT_path, DW_FORM_flag_present, 1, 0, 0, 0, 0})));
  CHECK_FALSE(is_sound(old.Bytes({0, 0})));
  CHECK_FALSE(is_sound(young.Bytes({0, 0, 0, 0})));
  std::vector<uint8_t> bytes = SimpleLineTable(4);
  LineHeader::Source source = SourceOf(bytes);
  source.offset = bytes.size() + 1;
  CHECK_FALSE(LineHeader(source).is_sound());
  CHECK(LineHeader(source).size_bytes() == 0);
  source.offset = UINT64_MAX;
  CHECK_FALSE(LineHeader(source).is_sound());
  for (const size_t at : {14, 15}) {  // the line range, the opcode base
    bytes = SimpleLineTable(4);
    REQUIRE((bytes[at] == 12 || bytes[at] == 13));
    bytes[at] = 0;
    CHECK_FALSE(LineHeader(SourceOf(bytes)).is_sound());
  }
}

LineTable TableOf(const std::vector<uint8_t>& lines) {
  LineHeader::Source source;
  source.lines = lines;
  return LineTable(source);
}

// The line at the address; 0: none.
uint32_t LineAt(const LineTable& table, uint64_t svma) {
  const std::optional<LineTable::Row> row = table.Find(svma);
  return row.has_value() ? row->line : 0;
}

TEST_CASE("rows of every version, sorted, with the ends of sequences") {
  for (const int version : {2, 3, 4, 5}) {
    for (const size_t offset_bytes : {4, 8}) {
      INFO(version << ' ' << offset_bytes);
      const std::vector<uint8_t> bytes = SimpleLineTable(version, offset_bytes);
      const LineTable table = TableOf(bytes);
      REQUIRE(table.is_sound());
      CHECK(table.size_bytes() == bytes.size());
      CHECK(table.mark_count() == 4);  // the first row of each sequence, and its end
      CHECK(table.file_count() == 2);
      CHECK(table.FileName(1, "/build") == "/build/inc/a.h");
      CHECK(LineAt(table, 0x4ff) == 0);
      CHECK(LineAt(table, 0x500) == 2);
      CHECK(LineAt(table, 0x501) == 0);
      CHECK(LineAt(table, 0xfff) == 0);
      CHECK(LineAt(table, 0x1000) == 1);
      CHECK(LineAt(table, 0x1003) == 1);
      CHECK(LineAt(table, 0x1008) == 0);
      const std::optional<LineTable::Row> row = table.Find(0x1007);
      REQUIRE(row.has_value());
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
  CHECK(LineAt(table, 0xff) == 0);
  CHECK(LineAt(table, 0x100) == 1);
  CHECK(LineAt(table, 0x100 + 39) == 1);
  CHECK(LineAt(table, 0x100 + 40) == 6);
  CHECK(LineAt(table, 0x100 + 42) == 6);
  CHECK(LineAt(table, 0x100 + 43) == 4);
  CHECK(LineAt(table, 0x100 + 46) == 4);
  CHECK(LineAt(table, 0x100 + 47) == 6);
  CHECK(LineAt(table, 0x100 + 48) == 6);
  CHECK(LineAt(table, 0x100 + 49) == 0);
  REQUIRE((table.Find(0x100 + 43).has_value() && table.Find(0x100 + 47).has_value()));
  CHECK(table.Find(0x100 + 43)->file == 1);
  CHECK(table.FileName(table.Find(0x100 + 47)->file, "") == "b");
}

TEST_CASE("several operations in an instruction") {
  LineProgramBuilder builder(4, 4, 16, 3);
  builder.Bytes({0, 0}).EndHeader().SetAddress(0x100).Bytes(
      {DW_LNS_copy, 13 + 2 * 12 + 4, 13 + 12 + 4, 13 + 4 * 12 + 4});
  const std::vector<uint8_t> bytes = builder.Bytes({DW_LNS_advance_pc, 2}).EndSequence().Build();
  const LineTable table = TableOf(bytes);
  REQUIRE(table.is_sound());
  CHECK(LineAt(table, 0x100) == 2);
  CHECK(LineAt(table, 0x10f) == 2);
  CHECK(LineAt(table, 0x110) == 3);
  CHECK(LineAt(table, 0x11f) == 3);
  CHECK(LineAt(table, 0x120) == 4);
  CHECK(LineAt(table, 0x12f) == 4);
  CHECK(LineAt(table, 0x130) == 0);
}

TEST_CASE("each row is found, also where a program goes back or has a long sequence") {
  constexpr int kRows = 100;
  for (const int backward_at : {0, 10, 16, 17, 99}) {
    INFO(backward_at);
    LineProgramBuilder builder(4);
    builder.Bytes({0, 0}).EndHeader().SetAddress(0x2000);
    std::vector<uint64_t> addresses;
    uint64_t svma = 0x2000;
    for (int i = 0; i < kRows; ++i) {  // row i has line i + 1, and 2 bytes
      if (i == backward_at && i != 0) builder.SetAddress(svma = 0x1000);
      addresses.push_back(svma);
      builder.Bytes({DW_LNS_copy, DW_LNS_advance_line, 1, DW_LNS_advance_pc, 2});
      svma += 2;
    }
    if (backward_at != 0) builder.SetAddress(0x3000);
    const std::vector<uint8_t> bytes = builder.EndSequence().Build();
    const LineTable table = TableOf(bytes);
    REQUIRE(table.is_sound());
    CHECK(table.mark_count() <= kRows / 16 + 3);
    for (size_t i = 0; i < kRows; ++i) {
      for (const uint64_t at : {addresses[i], addresses[i] + 1}) {
        INFO(std::hex << at);
        CHECK(LineAt(table, at) == i + 1);
      }
    }
    CHECK(LineAt(table, 0xfff) == 0);
    CHECK(LineAt(table, 0x3000) == 0);
  }
}

TEST_CASE("a table takes little memory, and an address little time, whatever the program is") {
  LineProgramBuilder rows(4), idle(4);
  rows.Bytes({0, 0}).EndHeader().SetAddress(0x1000);
  idle.Bytes({0, 0}).EndHeader().SetAddress(0x1000).Bytes({DW_LNS_copy});
  for (int i = 0; i < 100'000; ++i) {
    rows.Bytes({13 + 12 + 4});  // an instruction and a line on
    idle.Bytes({DW_LNS_negate_stmt});
  }
  const std::vector<uint8_t> bytes = rows.Bytes({DW_LNS_advance_pc, 1}).EndSequence().Build();
  const LineTable table = TableOf(bytes);
  REQUIRE(table.is_sound());
  CHECK(table.mark_count() * sizeof(LineTable::Row) < 2 * bytes.size());
  CHECK(LineAt(table, 0x1000 + 77'777) == 77'778);
  const std::vector<uint8_t> idle_bytes = idle.Bytes({DW_LNS_copy}).EndSequence().Build();
  CHECK_FALSE(TableOf(idle_bytes).is_sound());
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
    CHECK(table.mark_count() == 0);
    CHECK(LineAt(table, 0x10) == 0);
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
  CHECK(table.mark_count() <= bytes.size());
  CHECK(table.size_bytes() <= bytes.size());
  for (size_t i = 0; i <= table.file_count(); ++i) CHECK(table.FileName(i, "/build").size() <= 3 * 4096 + 9);
  for (const uint64_t svma : {uint64_t{0}, uint64_t{0x500}, uint64_t{0x1000}, uint64_t{0x1007}, UINT64_MAX}) {
    table.Find(svma);
  }
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
