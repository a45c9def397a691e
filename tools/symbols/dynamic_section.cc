#include "tools/symbols/dynamic_section.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace geckoprof {
namespace {

// The largest libraries export some 100,000 functions.
constexpr uint64_t kMaxSymbols = uint64_t{1} << 22, kMaxRelocations = uint64_t{1} << 24;
constexpr uint64_t kMaxEntries = 4096, kMaxStringBytes = uint64_t{1} << 30;

// Copies the structs that lie at `svma`, as many of `count` as there are in the file.
template <typename T>
std::vector<T> ReadTable(const ElfImage& image, uint64_t svma, uint64_t count) {
  const std::vector<uint8_t> bytes = image.Data(svma, count * sizeof(T));
  std::vector<T> table(bytes.size() / sizeof(T));
  if (!table.empty()) std::memcpy(table.data(), bytes.data(), table.size() * sizeof(T));
  return table;
}

}  // namespace

DynamicSection::DynamicSection(const ElfImage& image) : image_(image) {
  const char* const ident = elf_getident(image.elf(), nullptr);
  const std::optional<GElf_Phdr> header = image.ProgramHeader(PT_DYNAMIC);
  if (!header.has_value() || ident == nullptr || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB) return;
  const uint64_t count = std::min(header->p_filesz / sizeof(Elf64_Dyn), kMaxEntries);
  for (const Elf64_Dyn& entry : ReadTable<Elf64_Dyn>(image, header->p_vaddr, count)) {
    switch (entry.d_tag) {
      case DT_NULL:
        return;
      case DT_SYMTAB:
        symbols_svma_ = entry.d_un.d_ptr;
        break;
      case DT_STRTAB:
        strings_svma_ = entry.d_un.d_ptr;
        break;
      case DT_STRSZ:
        strings_bytes_ = std::min<uint64_t>(entry.d_un.d_val, kMaxStringBytes);
        break;
      case DT_HASH:
        hash_svma_ = entry.d_un.d_ptr;
        break;
      case DT_GNU_HASH:
        gnu_hash_svma_ = entry.d_un.d_ptr;
        break;
      case DT_RELA:
        relocations_svma_ = entry.d_un.d_ptr;
        break;
      case DT_RELASZ:
        relocations_bytes_ = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }
}

// The dynamic section does not say how many symbols there are. Both hash tables reach them all, or all that are
// defined.
uint64_t DynamicSection::SymbolCount() const {
  if (hash_svma_ != 0) {
    const std::vector<uint32_t> head = ReadTable<uint32_t>(image_, hash_svma_, 2);  // buckets, symbols
    return head.size() == 2 ? std::min<uint64_t>(head[1], kMaxSymbols) : 0;
  }
  if (gnu_hash_svma_ == 0) return 0;
  // The head has the buckets, the first symbol in the table, the words of the filter, and the shift. Each chain is a
  // run of symbols, and the last of a run has an odd hash. So the run of the highest bucket ends with the last symbol.
  const std::vector<uint32_t> head = ReadTable<uint32_t>(image_, gnu_hash_svma_, 4);
  if (head.size() != 4 || head[0] > kMaxSymbols || head[2] > kMaxSymbols) return 0;
  const uint64_t buckets_svma = gnu_hash_svma_ + 4 * sizeof(uint32_t) + head[2] * sizeof(uint64_t);
  const std::vector<uint32_t> buckets = ReadTable<uint32_t>(image_, buckets_svma, head[0]);
  if (buckets.empty()) return 0;
  const uint32_t last = *std::max_element(buckets.begin(), buckets.end());
  if (last < head[1] || last >= kMaxSymbols) return 0;
  const uint64_t chain_svma = buckets_svma + (uint64_t{head[0]} + last - head[1]) * sizeof(uint32_t);
  const std::vector<uint32_t> chain = ReadTable<uint32_t>(image_, chain_svma, kMaxSymbols - last);
  const auto end = std::find_if(chain.begin(), chain.end(), [](uint32_t hash) { return (hash & 1) != 0; });
  return end == chain.end() ? 0 : uint64_t{last} + static_cast<uint64_t>(end - chain.begin()) + 1;
}

std::vector<DynamicSection::Symbol> DynamicSection::Symbols() const {
  std::vector<Symbol> found;
  if (symbols_svma_ == 0 || strings_svma_ == 0) return found;
  const std::vector<uint8_t> bytes = image_.Data(strings_svma_, strings_bytes_);
  const std::string_view strings(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  static_assert(sizeof(Elf64_Sym) == sizeof(GElf_Sym));
  for (const GElf_Sym& symbol : ReadTable<GElf_Sym>(image_, symbols_svma_, SymbolCount())) {
    if (symbol.st_name >= strings.size()) continue;
    const std::string_view rest = strings.substr(symbol.st_name, kMaxSymbolNameBytes + 1);
    const size_t end = rest.find('\0');
    if (end == 0 || end == std::string_view::npos) continue;
    found.push_back({symbol, std::string(rest.substr(0, end))});
  }
  return found;
}

std::optional<uint64_t> DynamicSection::RelativeValueAt(uint64_t svma) const {
  if (relocations_svma_ == 0) return std::nullopt;
  const uint64_t count = std::min(relocations_bytes_ / sizeof(Elf64_Rela), kMaxRelocations);
  for (const Elf64_Rela& relocation : ReadTable<Elf64_Rela>(image_, relocations_svma_, count)) {
    const uint64_t type = ELF64_R_TYPE(relocation.r_info);
    if (relocation.r_offset == svma && (type == R_X86_64_RELATIVE || type == R_AARCH64_RELATIVE)) {
      return static_cast<uint64_t>(relocation.r_addend);
    }
  }
  return std::nullopt;
}

}  // namespace geckoprof
