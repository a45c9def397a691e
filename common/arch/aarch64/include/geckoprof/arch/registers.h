// The DWARF numbers of registers (DWARF for the Arm 64-bit Architecture, 4.1), and the registers that a call preserves.
#ifndef GECKOPROF_ARCH_REGISTERS_H_
#define GECKOPROF_ARCH_REGISTERS_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// The machine of ELF objects that can be loaded here (EM_AARCH64).
inline constexpr uint16_t kElfMachine = 183;

//   0..28 x0..x28  29 the frame pointer  30 the link register  31 sp  32 pc
inline constexpr size_t kDwarfRegisterCount = 33;
inline constexpr uint8_t kDwarfFp = 29;
inline constexpr uint8_t kDwarfSp = 31;
inline constexpr uint8_t kDwarfPc = 32;
// The register that holds the return address after a call instruction.
inline constexpr uint8_t kDwarfLink = 30;

// A callee preserves x19 to x29.
inline constexpr uint64_t kCalleeSavedRegisters = 0x7ffu << 19;

// These registers hold the arguments of a system call (syscall(2)).
inline constexpr uint8_t kDwarfSyscallArguments[] = {0, 1, 2, 3, 4, 5};

// Returns the address in a saved return address. Pointer authentication puts a signature above the 48 bits of a user
// address, and top-byte-ignore puts a tag there. Stripping is harmless if neither is in use.
// DW_CFA_AARCH64_negate_ra_state can therefore be ignored.
constexpr uint64_t StripReturnAddress(uint64_t saved) { return saved & ((uint64_t{1} << 48) - 1); }

// Fills values[kDwarfRegisterCount] with pc, sp and the registers that calls preserve. The result has their bits. The
// values are valid until the calling function returns.
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

#endif  // GECKOPROF_ARCH_REGISTERS_H_
