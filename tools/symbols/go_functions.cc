#include "tools/symbols/go_functions.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "tools/symbols/byte_cursor.h"
#include "tools/symbols/dynamic_section.h"

namespace geckoprof {
namespace {

constexpr uint32_t kMagic12 = 0xfffffffb, kMagic116 = 0xfffffffa, kMagic118 = 0xfffffff0, kMagic120 = 0xfffffff1;
constexpr size_t kPointerBytes = 8;
constexpr uint64_t kMaxSearchedBytes = uint64_t{1} << 30;

bool IsKnownMagic(uint32_t magic) {
  return magic == kMagic12 || magic == kMagic116 || magic == kMagic118 || magic == kMagic120;
}

// Whether a table may begin here: magic, two zeros, the least size of an instruction, the size of a pointer.
bool IsTableHead(std::span<const uint8_t> bytes) {
  if (bytes.size() < 8) return false;
  uint32_t magic;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return IsKnownMagic(magic) && bytes[4] == 0 && bytes[5] == 0 && (bytes[6] == 1 || bytes[6] == 4) &&
         bytes[7] == kPointerBytes;
}

// Where the table lies, in the file's addresses, and its bytes.
struct Table {
  uint64_t svma = 0;
  std::vector<uint8_t> bytes;
};

// Searches the segments that the loader maps, where no section has the name.
Table SearchSegments(const ElfImage& image) {
  size_t count = 0;
  if (elf_getphdrnum(image.elf(), &count) != 0) return {};
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(image.elf(), static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) != 0 || header.p_filesz > kMaxSearchedBytes) continue;
    std::vector<uint8_t> bytes = image.Data(header.p_vaddr, header.p_filesz);
    constexpr size_t kAlignment = 8;
    const size_t first = (kAlignment - header.p_vaddr % kAlignment) % kAlignment;
    for (size_t at = first; at + kAlignment <= bytes.size(); at += kAlignment) {
      if (!IsTableHead(std::span(bytes).subspan(at))) continue;
      bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      return {header.p_vaddr + at, std::move(bytes)};
    }
  }
  return {};
}

Table FindTable(const ElfImage& image) {
  // The second is that of position-independent programs.
  for (const char* const name : {".gopclntab", ".data.rel.ro.gopclntab"}) {
    Elf_Scn* const section = image.Section(name);
    GElf_Shdr header;
    if (section == nullptr || gelf_getshdr(section, &header) == nullptr) continue;
    const std::span<const uint8_t> bytes = image.SectionBytes(name);
    return {header.sh_addr, {bytes.begin(), bytes.end()}};
  }
  return image.HasSections() ? Table() : SearchSegments(image);
}

class GoTable {
 public:
  GoTable(const ElfImage& image, const Table& table) : image_(image), table_(table) {}

  // Reads the header. Returns false for an unknown format.
  bool ReadHeader() {
    if (!IsTableHead(table_.bytes)) return false;
    ByteCursor cursor(table_.bytes, 0);
    const uint64_t magic = cursor.Fixed(4);
    has_offsets_ = magic == kMagic118 || magic == kMagic120;
    cursor.Skip(4);
    function_count_ = cursor.Fixed(kPointerBytes);
    if (magic == kMagic12) {
      functions_at_ = cursor.at();
    } else {
      cursor.Skip(kPointerBytes);  // number of files
      if (has_offsets_) text_svma_ = TextStart(cursor.at(), cursor.Fixed(kPointerBytes));
      names_at_ = cursor.Fixed(kPointerBytes);
      cursor.Skip(3 * kPointerBytes);
      records_at_ = functions_at_ = cursor.Fixed(kPointerBytes);
    }
    const uint64_t entry_bytes = 2 * FieldBytes();
    return cursor.is_sound() && functions_at_ <= table_.bytes.size() && names_at_ <= table_.bytes.size() &&
           function_count_ <= (table_.bytes.size() - functions_at_) / entry_bytes;
  }

  std::vector<GoFunction> Functions() const {
    std::vector<GoFunction> functions;
    ByteCursor cursor(table_.bytes, functions_at_);
    uint64_t start = text_svma_ + cursor.Fixed(FieldBytes());
    size_t name_bytes = 0;
    for (uint64_t i = 0; i < function_count_; ++i) {
      const uint64_t record = cursor.Fixed(FieldBytes());
      const uint64_t end = text_svma_ + cursor.Fixed(FieldBytes());
      if (!cursor.is_sound()) break;
      const bool is_next = functions.empty() || start >= functions.back().start_svma + functions.back().size_bytes;
      const std::string_view name = NameOf(record);
      if (end > start && is_next && !name.empty() && IsCode(start, end) &&
          name.size() <= kMaxAllSymbolNamesBytes - name_bytes) {
        name_bytes += name.size();
        functions.push_back({start, end - start, std::string(name)});
      }
      start = end;
    }
    return functions;
  }

 private:
  size_t FieldBytes() const { return has_offsets_ ? sizeof(uint32_t) : kPointerBytes; }

  // Offsets count from the first Go function. A position-independent program has its address in a relocation. Newer
  // linkers leave the field 0.
  uint64_t TextStart(uint64_t field_at, uint64_t in_file) const {
    if (in_file != 0) return in_file;
    if (const auto value = DynamicSection(image_).RelativeValueAt(table_.svma + field_at)) return *value;
    Elf_Scn* const section = image_.Section(".text");
    GElf_Shdr header;
    return section != nullptr && gelf_getshdr(section, &header) != nullptr ? header.sh_addr : 0;
  }

  std::string_view NameOf(uint64_t record) const {
    if (record > table_.bytes.size() - records_at_) return {};
    ByteCursor cursor(table_.bytes, records_at_ + record);
    cursor.Skip(FieldBytes());  // its start once more
    const uint64_t offset = cursor.Fixed(sizeof(uint32_t));
    if (!cursor.is_sound() || offset > table_.bytes.size() - names_at_) return {};
    const std::string_view name = ByteCursor(table_.bytes, names_at_ + offset).Text();
    return name.size() <= kMaxSymbolNameBytes ? name : std::string_view();
  }

  bool IsCode(uint64_t start, uint64_t end) const {
    return std::any_of(code_.begin(), code_.end(),
                       [&](const auto& range) { return start >= range.first && end <= range.second; });
  }

  static std::vector<std::pair<uint64_t, uint64_t>> CodeOf(const ElfImage& image) {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    size_t count = 0;
    if (elf_getphdrnum(image.elf(), &count) != 0) return ranges;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(image.elf(), static_cast<int>(i), &header) == nullptr) break;
      const bool is_code = header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0;
      if (is_code && header.p_memsz <= UINT64_MAX - header.p_vaddr) {
        ranges.emplace_back(header.p_vaddr, header.p_vaddr + header.p_memsz);
      }
    }
    return ranges;
  }

  const ElfImage& image_;
  const Table& table_;
  const std::vector<std::pair<uint64_t, uint64_t>> code_ = CodeOf(image_);
  bool has_offsets_ = false;  // from text_svma_, of 4 bytes, where older formats have addresses
  uint64_t text_svma_ = 0, function_count_ = 0, functions_at_ = 0, records_at_ = 0, names_at_ = 0;
};

}  // namespace

std::vector<GoFunction> ReadGoFunctions(const ElfImage& image) {
  const Table table = FindTable(image);
  GoTable functions(image, table);
  return functions.ReadHeader() ? functions.Functions() : std::vector<GoFunction>();
}

}  // namespace geckoprof
