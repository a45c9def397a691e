#ifndef GECKOPROF_TOOLS_SYMBOLS_FDE_RANGES_H_
#define GECKOPROF_TOOLS_SYMBOLS_FDE_RANGES_H_

#include <cstdint>
#include <vector>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

struct FdeRange {
  uint64_t start_svma = 0;
  uint64_t end_svma = 0;
};

// The bounds of the functions that .eh_frame describes, sorted by start. They survive stripping. Entries with an
// encoding that compilers do not use there, or broken ones, are left out.
std::vector<FdeRange> ReadFdeRanges(const ElfImage& image);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_FDE_RANGES_H_
