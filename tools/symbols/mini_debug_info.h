#ifndef GECKOPROF_TOOLS_SYMBOLS_MINI_DEBUG_INFO_H_
#define GECKOPROF_TOOLS_SYMBOLS_MINI_DEBUG_INFO_H_

#include <memory>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

// What Fedora and others leave in stripped files: an ELF file of symbols that .dynsym lacks, packed by xz into the
// section .gnu_debugdata. Null: there is none, or it cannot be unpacked within 64 MiB (honest ones have some hundred
// KiB).
std::unique_ptr<ElfImage> ReadMiniDebugInfo(const ElfImage& image);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_MINI_DEBUG_INFO_H_
