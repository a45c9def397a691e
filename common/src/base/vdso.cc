#include "geckoprof/base/vdso.h"

#include <elf.h>
#include <string.h>

namespace geckoprof {

// Searches through the section headers. The kernel maps the image as it was linked, with these headers. Newer images
// have no DT_HASH, which would give the number of symbols.
void* FindVdsoFunction(uintptr_t image, std::string_view name) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(image);
  if (image == 0 || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return nullptr;
  }
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(image + header->e_shoff);
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header->e_shnum) continue;
    const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(image + sections[i].sh_offset);
    const auto* const names = reinterpret_cast<const char*>(image + sections[sections[i].sh_link].sh_offset);
    for (uint64_t at = 0; at < sections[i].sh_size / sizeof(Elf64_Sym); ++at) {
      const bool is_function = ELF64_ST_TYPE(symbols[at].st_info) == STT_FUNC && symbols[at].st_shndx != SHN_UNDEF;
      if (is_function && name == names + symbols[at].st_name)
        return reinterpret_cast<void*>(image + symbols[at].st_value);
    }
  }
  return nullptr;
}

}  // namespace geckoprof
