#include "tests/unit/tools/symbols/line_program_builder.h"

#include <dwarf.h>

#include <cstring>

namespace geckoprof {

LineProgramBuilder::LineProgramBuilder(int version, size_t offset_bytes, uint8_t min_instruction_bytes,
                                       uint8_t operations_per_instruction)
    : offset_bytes_(offset_bytes) {
  if (offset_bytes == 8) Number(0xffffffff, 4);
  Number(0, offset_bytes).Number(static_cast<uint64_t>(version), 2);
  if (version >= 5) Bytes({8, 0});
  header_length_at_ = bytes_.size();
  Number(0, offset_bytes).Bytes({min_instruction_bytes});
  if (version >= 4) Bytes({operations_per_instruction});
  Bytes({1, 0xfd, 12, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
}

LineProgramBuilder& LineProgramBuilder::Bytes(std::initializer_list<int> bytes) {
  for (const int byte : bytes) bytes_.push_back(static_cast<uint8_t>(byte));
  return *this;
}

LineProgramBuilder& LineProgramBuilder::Number(uint64_t number, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; ++i) bytes_.push_back(static_cast<uint8_t>(i < 8 ? number >> (8 * i) : 0));
  return *this;
}

LineProgramBuilder& LineProgramBuilder::Text(std::string_view text) {
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  return Bytes({0});
}

LineProgramBuilder& LineProgramBuilder::EndHeader() {
  program_at_ = bytes_.size();
  return *this;
}

LineProgramBuilder& LineProgramBuilder::SetAddress(uint64_t svma) {
  return Bytes({0, 9, DW_LNE_set_address}).Number(svma, 8);
}

std::vector<uint8_t> LineProgramBuilder::Build() const {
  std::vector<uint8_t> bytes = bytes_;
  const size_t start = offset_bytes_ == 8 ? 4 : 0;
  const uint64_t length = bytes.size() - start - offset_bytes_,
                 header_length = program_at_ - header_length_at_ - offset_bytes_;
  std::memcpy(bytes.data() + start, &length, offset_bytes_);
  std::memcpy(bytes.data() + header_length_at_, &header_length, offset_bytes_);
  return bytes;
}

std::vector<uint8_t> SimpleLineTable(int version, size_t offset_bytes) {
  LineProgramBuilder builder(version, offset_bytes);
  if (version >= 5) {
    builder.Bytes({1, DW_LNCT_path, DW_FORM_string, 2}).Text("/build").Text("inc");
    builder.Bytes({2, DW_LNCT_path, DW_FORM_string, DW_LNCT_directory_index, DW_FORM_udata, 2});
    builder.Text("a.c").Bytes({0}).Text("a.h").Bytes({1});
  } else {
    builder.Text("inc").Bytes({0}).Text("a.h").Bytes({1, 0, 0, 0});
  }
  builder.EndHeader().SetAddress(0x1000).Bytes({DW_LNS_copy});
  builder.Bytes({DW_LNS_advance_pc, 4, DW_LNS_advance_line, 9, DW_LNS_set_column, 7, DW_LNS_copy});
  builder.Bytes({DW_LNS_advance_pc, 4}).EndSequence();
  builder.SetAddress(0x500).Bytes({13 + 4, DW_LNS_advance_pc, 1}).EndSequence();
  return builder.Build();
}

}  // namespace geckoprof
