#ifndef GECKOPROF_TOOLS_SYMBOLS_ELF_PLT_H_
#define GECKOPROF_TOOLS_SYMBOLS_ELF_PLT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

struct PltStub {
  uint64_t svma = 0;
  uint64_t size_bytes = 0;
  std::string name;  // "memcpy@plt"
};

// The stubs of the procedure linkage table, which no symbol covers: entry i belongs to relocation i of .rela.plt. Empty
// where the layout is not the usual one of 16-byte entries.
std::vector<PltStub> ReadPltStubs(const ElfImage& image);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_ELF_PLT_H_
