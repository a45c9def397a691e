// Makes unwind sections byte by byte.
#ifndef GECKOPROF_TESTS_UNIT_COMMON_UNWIND_CFI_BUILDER_H_
#define GECKOPROF_TESTS_UNIT_COMMON_UNWIND_CFI_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "geckoprof/modules/unwind_sections.h"

namespace geckoprof {

// CfiBuilder: an .eh_frame at kSectionSvma with pc-relative sdata4 pointers, and the .eh_frame_hdr for it. Example:
//   CfiBuilder cfi;
//   cfi.AddCie("zR", {0x0c, 7, 8, 0x90, 1});       // CFA = r7 + 8, r16 at CFA - 8
//   cfi.AddFde(0x1000, 0x100, {0x41, 0x0e, 16});   // after one byte the CFA is 16 above
// With kDebugFrame it makes a .debug_frame with absolute pointers.
class CfiBuilder {
 public:
  static constexpr uint64_t kSectionSvma = 0x100000;
  static constexpr uint64_t kHeaderSvma = 0x80000;

  enum class Form { kEhFrame, kDebugFrame };
  explicit CfiBuilder(Form form = Form::kEhFrame) : is_debug_frame_(form == Form::kDebugFrame) {}

  void AddCie(std::string_view augmentation, const std::vector<uint8_t>& instructions, int8_t data_alignment = -8,
              uint8_t return_column = 16) {
    cie_offset_ = bytes_.size();
    const size_t start = Begin();
    Add32(is_debug_frame_ ? 0xffffffff : 0);
    bytes_.push_back(1);
    bytes_.insert(bytes_.end(), augmentation.begin(), augmentation.end());
    bytes_.push_back(0);
    bytes_.push_back(1);
    bytes_.push_back(static_cast<uint8_t>(data_alignment & 0x7f));
    bytes_.push_back(return_column);
    if (!augmentation.empty()) {
      bytes_.push_back(1);
      bytes_.push_back(0x1b);
    }
    End(start, instructions);
  }

  void AddFde(uint64_t start_svma, uint32_t size_bytes, const std::vector<uint8_t>& instructions) {
    const size_t offset = bytes_.size();
    const size_t start = Begin();
    if (is_debug_frame_) {
      Add32(static_cast<uint32_t>(cie_offset_));
      Add64(start_svma);
      Add64(size_bytes);
      return End(start, instructions);
    }
    Add32(static_cast<uint32_t>(bytes_.size() - cie_offset_));
    Add32(static_cast<uint32_t>(start_svma - (kSectionSvma + bytes_.size())));
    Add32(size_bytes);
    bytes_.push_back(0);
    End(start, instructions);
    rows_.push_back({start_svma, kSectionSvma + offset});
  }
  void AddEnd() { Add32(0); }

  SectionBytes Section() const {
    return {bytes_.data(), bytes_.size(), is_debug_frame_ ? 0 : kSectionSvma, is_debug_frame_};
  }
  // Rows must have been added in order of address.
  SectionBytes Header() {
    std::vector<uint8_t> section;
    section.swap(bytes_);
    for (const uint8_t byte : {1, 0x1b, 0x03, 0x3b}) bytes_.push_back(byte);
    Add32(static_cast<uint32_t>(kSectionSvma - kHeaderSvma - 4));
    Add32(static_cast<uint32_t>(rows_.size()));
    for (const Row& row : rows_) {
      Add32(static_cast<uint32_t>(row.start_svma - kHeaderSvma));
      Add32(static_cast<uint32_t>(row.entry_svma - kHeaderSvma));
    }
    header_.swap(bytes_);
    bytes_.swap(section);
    return {header_.data(), header_.size(), kHeaderSvma};
  }
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  struct Row {
    uint64_t start_svma, entry_svma;
  };
  void Add32(uint32_t value) {
    uint8_t part[4];
    std::memcpy(part, &value, sizeof part);
    bytes_.insert(bytes_.end(), part, part + 4);
  }
  void Add64(uint64_t value) {
    Add32(static_cast<uint32_t>(value));
    Add32(static_cast<uint32_t>(value >> 32));
  }
  size_t Begin() {
    Add32(0);
    return bytes_.size();
  }
  void End(size_t start, const std::vector<uint8_t>& instructions) {
    bytes_.insert(bytes_.end(), instructions.begin(), instructions.end());
    while (bytes_.size() % 4 != 0) bytes_.push_back(0);
    const auto length = static_cast<uint32_t>(bytes_.size() - start);
    std::memcpy(bytes_.data() + start - 4, &length, sizeof length);
  }

  std::vector<uint8_t> bytes_, header_;
  std::vector<Row> rows_;
  size_t cie_offset_ = 0;
  const bool is_debug_frame_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_COMMON_UNWIND_CFI_BUILDER_H_
