// The calling function's own registers, as an unwinding starts from them.
#ifndef GECKOPROF_ARCH_CURRENT_REGISTERS_H_
#define GECKOPROF_ARCH_CURRENT_REGISTERS_H_

#include <cstdint>

#include "geckoprof/arch/dwarf_registers.h"

namespace geckoprof {

// Fills those of values[kDwarfRegisterCount] whose bits it returns: pc, sp and what calls preserve. They hold for as
// long as the calling function has not returned.
__attribute__((always_inline)) inline uint64_t ReadCurrentRegisters(uint64_t* values) {
  asm volatile(
      "movq %%rbx, 24(%0)\n\t"
      "movq %%rbp, 48(%0)\n\t"
      "movq %%rsp, 56(%0)\n\t"
      "movq %%r12, 96(%0)\n\t"
      "movq %%r13, 104(%0)\n\t"
      "movq %%r14, 112(%0)\n\t"
      "movq %%r15, 120(%0)\n\t"
      "leaq 0f(%%rip), %%rax\n\t"
      "0: movq %%rax, 128(%0)"
      :
      : "D"(values)
      : "rax", "memory");
  return kCalleeSavedRegisters | uint64_t{1} << kDwarfSp | uint64_t{1} << kDwarfPc;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_CURRENT_REGISTERS_H_
