// Converts a signal's saved context to DWARF register numbers.
#ifndef GECKOPROF_ARCH_UCONTEXT_REGISTERS_H_
#define GECKOPROF_ARCH_UCONTEXT_REGISTERS_H_

#include <sys/ucontext.h>

#include <cstdint>

#include "geckoprof/arch/registers.h"

namespace geckoprof {

// Fills values[kDwarfRegisterCount]. Context: any, signal context included.
inline void CopyUcontextRegisters(const ucontext_t& context, uint64_t* values) {
  static constexpr int kPlace[kDwarfRegisterCount] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                      REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                      REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (unsigned i = 0; i < kDwarfRegisterCount; ++i) {
    values[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[kPlace[i]]);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_UCONTEXT_REGISTERS_H_
