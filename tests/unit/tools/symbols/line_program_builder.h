#ifndef GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_LINE_PROGRAM_BUILDER_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_LINE_PROGRAM_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace geckoprof {

// LineProgramBuilder: the bytes of one line table, with the lengths that its header must have.
//
//   Header(): the rules (a line base of -3, a range of 12, opcode base 13); then the tables; EndHeader(); the program
class LineProgramBuilder {
 public:
  explicit LineProgramBuilder(int version, size_t offset_bytes = 4, uint8_t min_instruction_bytes = 1,
                              uint8_t operations_per_instruction = 1);

  LineProgramBuilder& Bytes(std::initializer_list<int> bytes);
  LineProgramBuilder& Number(uint64_t number, size_t size_bytes);
  LineProgramBuilder& Text(std::string_view text);
  // The program follows.
  LineProgramBuilder& EndHeader();
  // DW_LNE_set_address with 8 bytes.
  LineProgramBuilder& SetAddress(uint64_t svma);
  LineProgramBuilder& EndSequence() { return Bytes({0, 1, 1}); }

  // The table, its lengths filled in.
  std::vector<uint8_t> Build() const;

 private:
  const size_t offset_bytes_;
  std::vector<uint8_t> bytes_;
  size_t header_length_at_ = 0, program_at_ = 0;
};

// A table of the version, of the directory inc and the file inc/a.h, number 1 (and a.c, number 0 of version 5):
//   0x1000 a.h:1, 0x1004 a.h:10:7, ends at 0x1008; 0x500 a.h:2, ends at 0x501.
std::vector<uint8_t> SimpleLineTable(int version, size_t offset_bytes = 4);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_LINE_PROGRAM_BUILDER_H_
