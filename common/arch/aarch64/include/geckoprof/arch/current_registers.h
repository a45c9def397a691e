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
      "stp x19, x20, [%0, #152]\n\t"
      "stp x21, x22, [%0, #168]\n\t"
      "stp x23, x24, [%0, #184]\n\t"
      "stp x25, x26, [%0, #200]\n\t"
      "stp x27, x28, [%0, #216]\n\t"
      "stp x29, x30, [%0, #232]\n\t"
      "mov x9, sp\n\t"
      "str x9, [%0, #248]\n\t"
      "adr x9, 0f\n\t"
      "0: str x9, [%0, #256]"
      :
      : "r"(values)
      : "x9", "memory");
  return kCalleeSavedRegisters | uint64_t{1} << kDwarfLink | uint64_t{1} << kDwarfSp | uint64_t{1} << kDwarfPc;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_CURRENT_REGISTERS_H_
