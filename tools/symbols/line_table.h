#ifndef GECKOPROF_TOOLS_SYMBOLS_LINE_TABLE_H_
#define GECKOPROF_TOOLS_SYMBOLS_LINE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/symbols/byte_cursor.h"
#include "tools/symbols/line_header.h"

namespace geckoprof {

// LineTable: which source line each address of a compile unit comes from, made by running its line program once:
//
//   rows_   | 0x1000 a.c:7 | 0x1008 a.c:8 | 0x1010 end |  | 0x2000 b.h:3 | 0x2004 end |
//             \___________ a sequence ______________/        sorted by address
//
// An address belongs to the last row at or before it; behind the end of a sequence it has none. Sequences at address 0
// are functions that the linker left out. Hostile bytes: a program that follows no rules gives no rows at all; one that
// does has no more rows than bytes. Lifetime: a view of the sections. Threads: one at a time.
class LineTable {
 public:
  struct Row {
    uint64_t svma;
    uint32_t file;  // kEnd: here the sequence ends
    uint32_t line, column;
  };
  static constexpr uint32_t kEnd = UINT32_MAX;

  explicit LineTable(const LineHeader::Source& source);

  bool is_sound() const { return is_sound_; }
  // What it takes of the section.
  uint64_t size_bytes() const { return header_.size_bytes(); }

  // The row that has the address, or null. It names a file.
  const Row* Find(uint64_t svma) const;
  const std::vector<Row>& rows() const { return rows_; }

  // Numbers of files are below; 0: the table is broken.
  size_t file_count() const { return is_sound_ ? header_.file_count() : 0; }
  std::string FileName(uint64_t number, std::string_view comp_dir) const { return header_.FileName(number, comp_dir); }

 private:
  // The registers of the machine that line programs are written for.
  struct State {
    uint64_t svma = 0, operation = 0, file = 1, line = 1, column = 0;
  };

  void Run();
  // One opcode each. False: it follows no rules.
  void RunStandard(unsigned opcode, ByteCursor* cursor);
  bool RunExtended(ByteCursor* cursor);
  void RunSpecial(unsigned opcode);
  void Advance(uint64_t operations);
  void AddRow();
  void EndSequence();

  LineHeader header_;
  bool is_sound_;
  std::vector<Row> rows_;
  State state_;
  size_t sequence_start_ = 0;  // its first row
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_LINE_TABLE_H_
