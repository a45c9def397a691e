// The machine of ELF objects that can be loaded here.
#ifndef GECKOPROF_ARCH_ELF_MACHINE_H_
#define GECKOPROF_ARCH_ELF_MACHINE_H_

#include <elf.h>

#include <cstdint>

namespace geckoprof {

inline constexpr uint16_t kElfMachine = EM_AARCH64;

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_ELF_MACHINE_H_
