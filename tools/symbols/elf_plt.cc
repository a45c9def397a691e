#include "tools/symbols/elf_plt.h"

#include <gelf.h>

#include <optional>

#include "tools/symbols/demangle.h"
#include "tools/text/concat.h"

namespace geckoprof {
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

std::vector<PltStub> ReadPltStubs(const ElfImage& image) {
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
    stubs.push_back({range->first_svma + i * kStubBytes, kStubBytes, Concat(Demangle(name), "@plt")});
  }
  return stubs;
}

}  // namespace geckoprof
