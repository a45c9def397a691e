#ifndef GECKOPROF_TOOLS_SYMBOLS_UNPACKED_IMAGE_H_
#define GECKOPROF_TOOLS_SYMBOLS_UNPACKED_IMAGE_H_

#include <memory>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

// Returns the image itself, or, if a section is compressed with zstd (ELFCOMPRESS_ZSTD), a copy in memory with all
// such sections unpacked. libelf and libdw of Debian 12 know zlib alone. The copy has what debug information needs, so
// the sections that are loaded into memory are empty in it, as in a separate debug file.
//
// Hostile bytes: a section that is not what its header says stays out. Memory grows with what was unpacked, and not
// with the size that a header claims.
std::unique_ptr<ElfImage> WithUnpackedSections(std::unique_ptr<ElfImage> image);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_UNPACKED_IMAGE_H_
