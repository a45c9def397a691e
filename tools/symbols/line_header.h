#ifndef GECKOPROF_TOOLS_SYMBOLS_LINE_HEADER_H_
#define GECKOPROF_TOOLS_SYMBOLS_LINE_HEADER_H_

#include <cstddef>
#include <cstdint>
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
// Hostile bytes: nothing is read behind the length, no table can have more entries than bytes, and texts are looked at
// when a name is asked for, not before. Lifetime: a view of the sections. Threads: one at a time.
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
  // The path as the compiler saw it, in its directory, and that in the one that the unit was compiled in: `comp_dir`,
  // as the unit tells. Relative only where all of these are. Empty: there is no such file.
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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_LINE_HEADER_H_
