// How DWARF numbers the registers of aarch64 (DWARF for the Arm 64-bit Architecture, 4.1), and what a call preserves.
#ifndef GECKOPROF_ARCH_DWARF_REGISTERS_H_
#define GECKOPROF_ARCH_DWARF_REGISTERS_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

//   0..28 x0..x28  29 the frame pointer  30 the link register  31 sp  32 pc
inline constexpr size_t kDwarfRegisterCount = 33;
inline constexpr uint8_t kDwarfFp = 29;
inline constexpr uint8_t kDwarfSp = 31;
inline constexpr uint8_t kDwarfPc = 32;
// The register that holds the return address after a call instruction.
inline constexpr uint8_t kDwarfLink = 30;

// x19 to x29: what a caller finds as it left it.
inline constexpr uint64_t kCalleeSavedRegisters = 0x7ffu << 19;

// What holds the arguments of a system call (syscall(2)).
inline constexpr uint8_t kDwarfSyscallArguments[] = {0, 1, 2, 3, 4, 5};

// A return address as saved, without what the processor may have hidden in it: pointer authentication puts a signature,
// and top-byte-ignore a tag, above the 48 bits of a user address. Stripping is harmless where neither is in use, so
// whether DW_CFA_AARCH64_negate_ra_state said that the address is signed here need not be followed.
constexpr uint64_t StripReturnAddress(uint64_t saved) { return saved & ((uint64_t{1} << 48) - 1); }

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_DWARF_REGISTERS_H_
