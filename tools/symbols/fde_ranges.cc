#include "tools/symbols/fde_ranges.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace geckoprof {
namespace {

constexpr uint8_t kAbsolutePointer = DW_EH_PE_absptr;

size_t EncodedBytes(uint8_t encoding) {
  switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return 8;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
      return 4;
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
      return 2;
    default:
      return 0;
  }
}

// `bytes` holds EncodedBytes(encoding).
uint64_t ReadEncoded(const uint8_t* bytes, uint8_t encoding, bool as_size) {
  const bool is_signed = (encoding & 0x08) != 0 && !as_size;
  switch (EncodedBytes(encoding)) {
    case 2: {
      uint16_t value;
      std::memcpy(&value, bytes, 2);
      return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int16_t>(value)}) : value;
    }
    case 4: {
      uint32_t value;
      std::memcpy(&value, bytes, 4);
      return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}) : value;
    }
    default: {
      uint64_t value;
      std::memcpy(&value, bytes, 8);
      return value;
    }
  }
}

// How a CIE's FDEs write addresses; empty if its augmentation is unknown.
std::optional<uint8_t> AddressEncoding(const Dwarf_CIE& cie) {
  const char* letter = cie.augmentation;
  if (letter == nullptr || *letter == '\0') return kAbsolutePointer;
  if (*letter++ != 'z') return std::nullopt;
  const uint8_t* data = cie.augmentation_data;
  const uint8_t* end = data + cie.augmentation_data_size;
  for (; *letter != '\0'; ++letter) {
    if (*letter == 'S' || *letter == 'B') continue;
    if (data == nullptr || data >= end) return std::nullopt;
    const uint8_t encoding = *data++;
    if (*letter == 'R') return encoding;
    if (*letter == 'P') {
      const size_t size_bytes = EncodedBytes(encoding);
      if (size_bytes == 0 || static_cast<size_t>(end - data) < size_bytes) return std::nullopt;
      data += size_bytes;
    } else if (*letter != 'L') {
      return std::nullopt;
    }
  }
  return kAbsolutePointer;
}

// Reader of one .eh_frame section.
class EhFrame {
 public:
  EhFrame(const unsigned char* ident, Elf_Data* data, uint64_t svma) : ident_(ident), data_(data), svma_(svma) {}

  std::vector<FdeRange> Ranges() {
    std::vector<FdeRange> ranges;
    Dwarf_Off next = 0;
    for (Dwarf_Off offset = 0; offset < data_->d_size; offset = next) {
      Dwarf_CFI_Entry entry;
      const int result = dwarf_next_cfi(ident_, data_, /*eh_frame=*/true, offset, &next, &entry);
      if (result > 0 || next <= offset) break;
      if (result < 0 || dwarf_cfi_cie_p(&entry)) continue;
      if (const std::optional<FdeRange> range = RangeOf(entry.fde)) ranges.push_back(*range);
    }
    return ranges;
  }

 private:
  std::optional<FdeRange> RangeOf(const Dwarf_FDE& fde) {
    if (fde.CIE_pointer != cie_offset_) {
      cie_offset_ = fde.CIE_pointer;
      Dwarf_Off next = 0;
      Dwarf_CFI_Entry entry;
      const bool found = dwarf_next_cfi(ident_, data_, true, cie_offset_, &next, &entry) == 0;
      encoding_ = found && dwarf_cfi_cie_p(&entry) ? AddressEncoding(entry.cie) : std::nullopt;
    }
    if (!encoding_.has_value()) return std::nullopt;
    const uint8_t base = *encoding_ & 0x70;
    const size_t size_bytes = EncodedBytes(*encoding_);
    if (size_bytes == 0 || (base != 0 && base != DW_EH_PE_pcrel)) return std::nullopt;
    const auto* section = static_cast<const uint8_t*>(data_->d_buf);
    if (fde.start < section || fde.end > section + data_->d_size || fde.end < fde.start ||
        static_cast<size_t>(fde.end - fde.start) < 2 * size_bytes) {
      return std::nullopt;
    }
    uint64_t start = ReadEncoded(fde.start, *encoding_, false);
    if (base == DW_EH_PE_pcrel) start += svma_ + static_cast<uint64_t>(fde.start - section);
    const uint64_t length = ReadEncoded(fde.start + size_bytes, *encoding_, true);
    if (start == 0 || length == 0 || start + length < start) return std::nullopt;
    return FdeRange{start, start + length};
  }

  const unsigned char* const ident_;
  Elf_Data* const data_;
  const uint64_t svma_;
  Dwarf_Off cie_offset_ = UINT64_MAX;
  std::optional<uint8_t> encoding_;
};

// .eh_frame, and where it lies.
struct Section {
  std::vector<uint8_t> bytes;
  uint64_t svma = 0;
};

// Finds the section by the header that unwinders use: version, three encodings, the section's address. The end of the
// segment stands for that of the section, which ends with an empty entry.
Section FindBySegment(const ElfImage& image) {
  constexpr uint8_t kVersion = 1, kUsualEncoding = DW_EH_PE_pcrel | DW_EH_PE_sdata4;
  const std::optional<GElf_Phdr> header = image.ProgramHeader(PT_GNU_EH_FRAME);
  if (!header.has_value()) return {};
  const std::vector<uint8_t> bytes = image.Data(header->p_vaddr, 8);
  if (bytes.size() != 8 || bytes[0] != kVersion || bytes[1] != kUsualEncoding) return {};
  const uint64_t svma = header->p_vaddr + 4 + ReadEncoded(bytes.data() + 4, kUsualEncoding, false);
  constexpr uint64_t kMaxBytes = uint64_t{1} << 30;
  return {image.Data(svma, kMaxBytes), svma};
}

}  // namespace

std::vector<FdeRange> ReadFdeRanges(const ElfImage& image) {
  const char* ident = elf_getident(image.elf(), nullptr);
  // Addresses of 4 bytes are another format; the bytes of both architectures are little-endian.
  if (ident == nullptr || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB) return {};
  Elf_Scn* section = image.Section(".eh_frame");
  GElf_Shdr header;
  Section found;
  Elf_Data* data = nullptr;
  Elf_Data found_data = {};
  if (section != nullptr && gelf_getshdr(section, &header) != nullptr && header.sh_type != SHT_NOBITS) {
    data = elf_rawdata(section, nullptr);
    found.svma = header.sh_addr;
  } else if (!image.HasSections()) {
    found = FindBySegment(image);
    found_data.d_buf = found.bytes.data();
    found_data.d_size = found.bytes.size();
    data = &found_data;
  }
  if (data == nullptr || data->d_buf == nullptr) return {};
  std::vector<FdeRange> ranges = EhFrame(reinterpret_cast<const unsigned char*>(ident), data, found.svma).Ranges();
  std::sort(ranges.begin(), ranges.end(),
            [](const FdeRange& a, const FdeRange& b) { return a.start_svma < b.start_svma; });
  return ranges;
}

}  // namespace geckoprof
