// Converts a signal's saved context to DWARF register numbers.
#ifndef GECKOPROF_ARCH_UCONTEXT_REGISTERS_H_
#define GECKOPROF_ARCH_UCONTEXT_REGISTERS_H_

#include <sys/ucontext.h>

#include <cstdint>

#include "geckoprof/arch/registers.h"

namespace geckoprof {

// Fills values[kDwarfRegisterCount]. Context: any, signal context included.
inline void CopyUcontextRegisters(const ucontext_t& context, uint64_t* values) {
  for (unsigned i = 0; i <= kDwarfLink; ++i) values[i] = context.uc_mcontext.regs[i];
  values[kDwarfSp] = context.uc_mcontext.sp;
  values[kDwarfPc] = context.uc_mcontext.pc;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_UCONTEXT_REGISTERS_H_
