// The DWARF numbers of registers (System V ABI, AMD64 supplement, figure 3.36), and the registers that a call
// preserves.
#ifndef GECKOPROF_ARCH_REGISTERS_H_
#define GECKOPROF_ARCH_REGISTERS_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// The machine of ELF objects that can be loaded here (EM_X86_64).
inline constexpr uint16_t kElfMachine = 62;

//   0 rax  1 rdx  2 rcx  3 rbx  4 rsi  5 rdi  6 rbp  7 rsp  8..15 r8..r15  16 the return address, here rip
inline constexpr size_t kDwarfRegisterCount = 17;
inline constexpr uint8_t kDwarfFp = 6;
inline constexpr uint8_t kDwarfSp = 7;
inline constexpr uint8_t kDwarfPc = 16;
// The register that holds the return address after a call instruction. kDwarfPc means that the address is on the stack.
inline constexpr uint8_t kDwarfLink = kDwarfPc;

// A callee preserves rbx, rbp and r12 to r15.
inline constexpr uint64_t kCalleeSavedRegisters = (1u << 3) | (1u << 6) | (0xfu << 12);

// These registers hold the arguments of a system call, which preserves them (System V ABI, AMD64 supplement, A.2.1).
inline constexpr uint8_t kDwarfSyscallArguments[] = {5, 4, 1, 10, 8, 9};  // rdi, rsi, rdx, r10, r8, r9

// Returns the address in a saved return address. This processor hides nothing in it.
constexpr uint64_t StripReturnAddress(uint64_t saved) { return saved; }

// Fills values[kDwarfRegisterCount] with pc, sp and the registers that calls preserve. The result has their bits. The
// values are valid until the calling function returns.
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

#endif  // GECKOPROF_ARCH_REGISTERS_H_
