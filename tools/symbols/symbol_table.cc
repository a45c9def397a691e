#include "tools/symbols/symbol_table.h"

#include <gelf.h>
#include <lzma.h>
#include <string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/symbols/demangle.h"
#include "tools/symbols/dynamic_section.h"
#include "tools/symbols/go_functions.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMaxUnpackedBytes = size_t{64} << 20;
constexpr uint64_t kMaxDecoderBytes = uint64_t{128} << 20;  // xz -9 needs 65 MiB

}  // namespace

std::unique_ptr<ElfImage> ReadMiniDebugInfo(const ElfImage& image) {
  const std::span<const uint8_t> packed = image.SectionBytes(".gnu_debugdata");
  if (packed.empty()) return nullptr;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxDecoderBytes, 0) != LZMA_OK) return nullptr;
  std::vector<char> bytes;
  stream.next_in = packed.data();
  stream.avail_in = packed.size();
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && bytes.size() < kMaxUnpackedBytes) {
    const size_t written = bytes.size();
    bytes.resize(std::min(std::max<size_t>(2 * written, packed.size() * 4), kMaxUnpackedBytes));
    stream.next_out = reinterpret_cast<uint8_t*>(bytes.data()) + written;
    stream.avail_out = bytes.size() - written;
    result = lzma_code(&stream, LZMA_FINISH);
    bytes.resize(bytes.size() - stream.avail_out);
    if (stream.avail_out != 0) break;  // it is at its end, or wants what is not there
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END) return nullptr;
  absl::StatusOr<std::unique_ptr<ElfImage>> unpacked = ElfImage::FromBytes(std::move(bytes));
  return unpacked.ok() ? *std::move(unpacked) : nullptr;
}

namespace {

constexpr uint64_t kStubBytes = 16;

struct StubRange {
  uint64_t first_svma;
  uint64_t count;
};

// x86-64 with CET calls stubs in .plt.sec, one a relocation. Otherwise .plt holds a header (16 bytes on x86-64, 32 on
// aarch64) and then one stub a relocation.
std::optional<StubRange> FindStubs(const ElfImage& image, uint64_t relocation_count) {
  GElf_Shdr header;
  if (Elf_Scn* section = image.Section(".plt.sec"); section != nullptr && gelf_getshdr(section, &header) != nullptr) {
    if (header.sh_size / kStubBytes == relocation_count) return StubRange{header.sh_addr, relocation_count};
    return std::nullopt;
  }
  Elf_Scn* section = image.Section(".plt");
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return std::nullopt;
  const uint64_t stub_bytes = relocation_count * kStubBytes;
  if (header.sh_size < stub_bytes || header.sh_size - stub_bytes > 2 * kStubBytes) return std::nullopt;
  return StubRange{header.sh_addr + (header.sh_size - stub_bytes), relocation_count};
}

}  // namespace

std::vector<PltStub> ReadPltStubs(const ElfImage& image, Demangler* demangler) {
  std::vector<PltStub> stubs;
  Elf_Scn* relocations = image.Section(".rela.plt");
  GElf_Shdr header;
  if (relocations == nullptr || gelf_getshdr(relocations, &header) == nullptr) return stubs;
  Elf_Data* data = elf_getdata(relocations, nullptr);
  Elf_Scn* symbols = elf_getscn(image.elf(), header.sh_link);
  GElf_Shdr symbols_header;
  if (data == nullptr || symbols == nullptr || gelf_getshdr(symbols, &symbols_header) == nullptr) return stubs;
  Elf_Data* symbols_data = elf_getdata(symbols, nullptr);
  const size_t entry_bytes = gelf_fsize(image.elf(), ELF_T_RELA, 1, EV_CURRENT);
  if (symbols_data == nullptr || entry_bytes == 0) return stubs;
  const uint64_t count = data->d_size / entry_bytes;
  const std::optional<StubRange> range = FindStubs(image, count);
  if (!range.has_value()) return stubs;
  for (uint64_t i = 0; i < range->count; ++i) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr ||
        gelf_getsym(symbols_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) == nullptr) {
      continue;
    }
    const char* name = elf_strptr(image.elf(), symbols_header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;  // an IRELATIVE relocation names nothing
    stubs.push_back({range->first_svma + i * kStubBytes, kStubBytes, Concat(demangler->Demangle(name), "@plt")});
  }
  return stubs;
}

namespace {

// How many symbols before an address are tried: one with a label inside it is not the nearest.
constexpr int kMaxStepsBack = 8;

// "cfree@GLIBC_2.2.5": only old programs are still linked with it. "free@@GLIBC_2.2.5" is what new ones get.
bool IsOldVersion(std::string_view name) {
  const size_t at = name.find('@');
  return at != std::string_view::npos && !name.substr(at).starts_with("@@");
}

// The versions of the symbols of .dynsym, where nothing of them is in the names.
class SymbolVersions {
 public:
  SymbolVersions(const ElfImage& image, std::string_view symbols) {
    Elf_Scn* const section = symbols == ".dynsym" ? image.Section(".gnu.version") : nullptr;
    if (section != nullptr) data_ = elf_getdata(section, nullptr);
  }
  bool IsOld(int symbol) const {
    constexpr GElf_Versym kHidden = 0x8000;
    GElf_Versym version = 0;
    return data_ != nullptr && gelf_getversym(data_, symbol, &version) != nullptr && (version & kHidden) != 0;
  }

 private:
  Elf_Data* data_ = nullptr;
};

// Of aliases the one people know: exported before weak before old before local, with few leading underscores. A plain
// label comes last.
int RankOf(const GElf_Sym& symbol, std::string_view name, bool is_old) {
  int rank = is_old || IsOldVersion(name) ? 100 : 0;
  if (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE) rank += 1000;
  if (symbol.st_size == 0) rank += 500;
  if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) rank += 200;
  if (GELF_ST_BIND(symbol.st_info) == STB_WEAK) rank += 20;
  const size_t underscores = name.find_first_not_of('_');
  return rank + 30 * static_cast<int>(std::min<size_t>(underscores == std::string_view::npos ? 9 : underscores, 5));
}

// Of the section with code that a symbol is in; 0: none.
uint64_t EndOfCode(Elf* elf, const GElf_Sym& symbol) {
  if (symbol.st_shndx >= SHN_LORESERVE) return 0;
  Elf_Scn* section = elf_getscn(elf, symbol.st_shndx);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return 0;
  if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_size > UINT64_MAX - header.sh_addr) return 0;
  return header.sh_addr + header.sh_size;
}

// Returns the end of the segment with code that has the address, or 0.
uint64_t EndOfCodeSegment(Elf* elf, uint64_t svma) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return 0;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0 || svma < header.p_vaddr) continue;
    if (svma - header.p_vaddr < header.p_filesz) return header.p_vaddr + header.p_filesz;
  }
  return 0;
}

bool IsCode(Elf* elf, const GElf_Sym& symbol) {
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return false;
  const int type = GELF_ST_TYPE(symbol.st_info);
  if (type == STT_FUNC || type == STT_GNU_IFUNC) return true;
  return type == STT_NOTYPE && EndOfCode(elf, symbol) != 0;
}

}  // namespace

SymbolTable::SymbolTable(const ElfImage& image, const ElfImage* debug, std::shared_ptr<Demangler> demangler)
    : image_(image), demangler_(std::move(demangler)) {
  AddSymbols(image, ".symtab");
  if (symbols_.empty() && debug != nullptr) AddSymbols(*debug, ".symtab");
  if (symbols_.empty()) {
    if (const std::unique_ptr<ElfImage> mini = ReadMiniDebugInfo(image)) AddSymbols(*mini, ".symtab");
  }
  if (symbols_.empty()) AddGoFunctions();
  if (image.HasSections()) {
    AddSymbols(image, ".dynsym");
    AddPlt();
  } else {
    AddDynamicSymbols();
  }
  Sort();
}

void SymbolTable::AddSymbols(const ElfImage& image, const char* section_name) {
  Elf_Scn* section = image.Section(section_name);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) return;
  Elf_Data* data = elf_getdata(section, nullptr);
  const size_t entry_bytes = gelf_fsize(image.elf(), ELF_T_SYM, 1, EV_CURRENT);
  if (data == nullptr || entry_bytes == 0) return;
  const SymbolVersions versions(image, section_name);
  const size_t count = data->d_size / entry_bytes;
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || !IsCode(image.elf(), symbol)) continue;
    const char* name = elf_strptr(image.elf(), header.sh_link, symbol.st_name);
    // "$x", "$d": aarch64's marks of code and data between.
    if (name == nullptr || *name == '\0' || *name == '$') continue;
    Add(symbol, {name, strnlen(name, kMaxSymbolNameBytes + 1)}, versions.IsOld(static_cast<int>(i)),
        symbol.st_size == 0 ? EndOfCode(image.elf(), symbol) : 0);
  }
}

void SymbolTable::Add(const GElf_Sym& symbol, std::string_view name, bool is_old, uint64_t code_end_svma) {
  if (name.size() > kMaxSymbolNameBytes || name.size() > kMaxAllSymbolNamesBytes - name_bytes_) return;
  name_bytes_ += name.size();
  symbols_.push_back({symbol.st_value, symbol.st_size, RankOf(symbol, name, is_old), std::string(name), code_end_svma});
}

void SymbolTable::AddGoFunctions() {
  constexpr int kGoRank = 0;
  for (GoFunction& function : ReadGoFunctions(image_)) {
    symbols_.push_back({function.start_svma, function.size_bytes, kGoRank, std::move(function.name)});
  }
}

void SymbolTable::AddDynamicSymbols() {
  for (const DynamicSection::Symbol& found : DynamicSection(image_).Symbols()) {
    const GElf_Sym& symbol = found.symbol;
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
    Add(symbol, found.name, /*is_old=*/false, EndOfCodeSegment(image_.elf(), symbol.st_value));
  }
}

void SymbolTable::AddPlt() {
  constexpr int kPltRank = 100'000;
  for (PltStub& stub : ReadPltStubs(image_, demangler_.get())) {
    symbols_.push_back({stub.svma, stub.size_bytes, kPltRank, std::move(stub.name), 0});
  }
}

void SymbolTable::Sort() {
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return std::tie(a.start_svma, a.rank, a.name) < std::tie(b.start_svma, b.rank, b.name);
  });
  const auto end = std::unique(symbols_.begin(), symbols_.end(),
                               [](const Symbol& a, const Symbol& b) { return a.start_svma == b.start_svma; });
  symbols_.erase(end, symbols_.end());
}

const SymbolTable::Symbol* SymbolTable::Covering(uint64_t svma) const {
  auto after = std::upper_bound(symbols_.begin(), symbols_.end(), svma,
                                [](uint64_t value, const Symbol& symbol) { return value < symbol.start_svma; });
  for (int step = 0; step < kMaxStepsBack && after != symbols_.begin(); ++step) {
    const Symbol& symbol = *--after;
    if (symbol.size_bytes != 0 && svma - symbol.start_svma < symbol.size_bytes) return &symbol;
  }
  return nullptr;
}

std::optional<SymbolTable::Function> SymbolTable::Sizeless(uint64_t svma, const FdeRange* bounds) const {
  const auto next = std::upper_bound(symbols_.begin(), symbols_.end(), svma,
                                     [](uint64_t value, const Symbol& symbol) { return value < symbol.start_svma; });
  if (next == symbols_.begin()) return std::nullopt;
  const Symbol& symbol = *std::prev(next);
  if (symbol.size_bytes != 0 || svma >= symbol.section_end_svma) return std::nullopt;
  // A function without any symbol lies between.
  if (bounds != nullptr && bounds->start_svma > symbol.start_svma) return std::nullopt;
  const uint64_t end =
      next == symbols_.end() ? symbol.section_end_svma : std::min(next->start_svma, symbol.section_end_svma);
  return Function{demangler_->Demangle(symbol.name), symbol.start_svma, end - symbol.start_svma, /*has_symbol=*/false};
}

std::optional<SymbolTable::Function> SymbolTable::Find(uint64_t svma) {
  if (const Symbol* symbol = Covering(svma)) {
    return Function{symbol->name.ends_with("@plt") ? symbol->name : demangler_->Demangle(symbol->name),
                    symbol->start_svma, symbol->size_bytes};
  }
  if (!fdes_read_) {
    fdes_read_ = true;
    fdes_ = ReadFdeRanges(image_);
  }
  auto after = std::upper_bound(fdes_.begin(), fdes_.end(), svma,
                                [](uint64_t value, const FdeRange& range) { return value < range.start_svma; });
  if (after == fdes_.begin()) return Sizeless(svma, nullptr);
  const FdeRange& range = *(after - 1);
  if (svma >= range.end_svma) return Sizeless(svma, &range);
  const uint64_t size_bytes = range.end_svma - range.start_svma;
  // A label without a size (assembly) may name what unwind data only bounds.
  const auto label = std::lower_bound(symbols_.begin(), symbols_.end(), range.start_svma,
                                      [](const Symbol& symbol, uint64_t value) { return symbol.start_svma < value; });
  if (label != symbols_.end() && label->start_svma == range.start_svma) {
    return Function{demangler_->Demangle(label->name), range.start_svma, size_bytes};
  }
  if (std::optional<Function> function = Sizeless(svma, &range)) return function;
  return Function{Concat("fun_", HexText(range.start_svma)), range.start_svma, size_bytes, /*has_symbol=*/false};
}

}  // namespace geckoprof
