#ifndef GECKOPROF_TOOLS_SYMBOLS_LINE_TABLE_H_
#define GECKOPROF_TOOLS_SYMBOLS_LINE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/symbols/byte_cursor.h"

namespace geckoprof {

// LineHeader: what stands before the line program of a compile unit in .debug_line, DWARF 2 to 5, 32 and 64 bit:
//
//   | length | version | how to read the program | directories | files | program ... |
//
// Hostile bytes: nothing is read behind the length, and no table can have more entries than bytes. A text is looked at
// only when its name is asked for. Lifetime: a view of the sections. Threads: one at a time.
class LineHeader {
 public:
  struct Source {
    std::span<const uint8_t> lines;           // .debug_line
    std::span<const uint8_t> line_strings;    // .debug_line_str
    std::span<const uint8_t> strings;         // .debug_str
    std::span<const uint8_t> string_offsets;  // .debug_str_offsets
    uint64_t string_offsets_base = 0;         // of the unit
    uint64_t offset = 0;                      // of the header, in `lines`
  };

  explicit LineHeader(const Source& source);

  // False: it follows no rules.
  bool is_sound() const { return is_sound_; }
  // With its program; 0: not even its length is known.
  uint64_t size_bytes() const { return size_bytes_; }

  // How the program reads.
  std::span<const uint8_t> program() const { return program_; }
  uint64_t min_instruction_bytes() const { return min_instruction_bytes_; }
  uint64_t operations_per_instruction() const { return operations_per_instruction_; }  // 1 or more
  int line_base() const { return line_base_; }
  unsigned line_range() const { return line_range_; }    // 1 or more
  unsigned opcode_base() const { return opcode_base_; }  // 1 or more
  // How many numbers follow the opcode. REQUIRES: 0 < opcode < opcode_base.
  uint8_t operand_count(unsigned opcode) const { return operand_counts_[opcode - 1]; }

  // Numbers of files are below.
  size_t file_count() const { return files_.size(); }
  // Returns the path as the compiler saw it, in its directory. A relative directory is one in `comp_dir`, which the
  // unit tells. Relative only where all of these are. Empty: there is no such file.
  std::string FileName(uint64_t number, std::string_view comp_dir) const;
  // The program may name further ones (DW_LNE_define_file); `cursor`: of the program, at the name.
  void AddFile(ByteCursor* cursor);

 private:
  struct Text {
    std::span<const uint8_t> section;
    uint64_t at = 0;
  };
  struct File {
    Text name;
    uint64_t directory = 0;
  };
  struct Format {
    uint64_t content, form;
  };

  void ReadRules(ByteCursor* cursor);
  void ReadOldTables(ByteCursor* cursor);
  void ReadTable(ByteCursor* cursor, std::vector<File>* table);
  bool ReadField(ByteCursor* cursor, const Format& format, File* file) const;
  Text IndexedText(uint64_t form, uint64_t index) const;
  static std::string_view TextOf(const Text& text);

  const Source source_;
  std::span<const uint8_t> unit_;  // .debug_line up to the unit's end
  std::span<const uint8_t> program_;
  bool is_sound_ = false;
  uint64_t size_bytes_ = 0;
  int version_ = 0;
  size_t offset_bytes_ = 4;
  uint64_t min_instruction_bytes_ = 1, operations_per_instruction_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1, opcode_base_ = 1;
  std::span<const uint8_t> operand_counts_;
  std::vector<File> directories_;  // their names
  std::vector<File> files_;
};

// LineProgram runs the line program of a unit and stops at each row. Hostile bytes: it ends after no more rows than the
// program has bytes, and there is little to run between two rows. Lifetime: a view of the header. Threads: one at a
// time.
class LineProgram {
 public:
  // The registers of the machine that line programs are written for. A row of the table is a copy of them.
  struct Row {
    uint64_t svma = 0;
    uint32_t file = 1, line = 1, column = 0;
    uint32_t operation = 0;
  };
  enum class Event : uint8_t { kOther, kRow, kSequenceEnd, kProgramEnd, kBroken };

  // Runs all of the program. Files that it names are added to the header.
  explicit LineProgram(LineHeader* header) : LineProgram(header, 0, {}) { files_ = header; }
  // Goes on behind a row. `at` is in the program.
  LineProgram(const LineHeader* header, uint64_t at, const Row& row)
      : header_(header), cursor_(header->program(), at), row_(row) {}

  // Returns any event but kOther.
  Event Next();
  uint64_t at() const { return cursor_.at(); }
  const Row& row() const { return row_; }
  // Returns the first address behind the sequence, after kSequenceEnd.
  uint64_t end_svma() const { return end_svma_; }

 private:
  // Run one opcode each.
  Event Run(unsigned opcode);
  Event RunStandard(unsigned opcode);
  Event RunExtended();
  Event RunSpecial(unsigned opcode);
  void Advance(uint64_t operations);

  const LineHeader* header_;
  LineHeader* files_ = nullptr;  // where files are added, if they are
  ByteCursor cursor_;
  Row row_;
  uint64_t end_svma_ = 0;
};

// LineTable: which source line each address of a compile unit comes from. A row in 16 is kept as a mark. The line
// program is run again from there to find the rows in between.
//
//   marks_  | 0x1000 a.c:7 | 0x1040 a.c:8 | 0x1062 end |  | 0x2000 b.h:3 | 0x2004 end |
//             \____________ a sequence ______________/        sorted by address
//
// An address belongs to the last row at or before it. Behind the end of a sequence it has none. Sequences at address 0
// are functions that the linker left out. Hostile bytes: a program that follows no rules gives no rows at all. Marks
// take at most seven times the bytes of the program, and usually less than once. Lifetime: a view of the sections.
// Threads: one at a time.
class LineTable {
 public:
  using Row = LineProgram::Row;

  explicit LineTable(const LineHeader::Source& source);

  bool is_sound() const { return is_sound_; }
  // What it takes of the section.
  uint64_t size_bytes() const { return header_.size_bytes(); }

  // Returns the row that has the address.
  std::optional<Row> Find(uint64_t svma) const;
  size_t mark_count() const { return marks_.size(); }

  // Numbers of files are below; 0: the table is broken.
  size_t file_count() const { return is_sound_ ? header_.file_count() : 0; }
  std::string FileName(uint64_t number, std::string_view comp_dir) const { return header_.FileName(number, comp_dir); }

 private:
  struct Mark {
    Row row;
    uint32_t at;  // where the program goes on
    bool is_end;  // here the sequence ends
  };
  static bool IsBefore(const Mark& a, const Mark& b);
  // Returns false if the program follows no rules.
  bool MarkRows();
  void EndSequence(uint64_t svma);

  LineHeader header_;
  bool is_sound_;
  std::vector<Mark> marks_;
  size_t sequence_start_ = 0;  // its first mark
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_LINE_TABLE_H_
