// The system call instruction of x86-64 (System V ABI, appendix A.2: number in rax, arguments rdi rsi rdx r10 r8 r9).
#ifndef GECKOPROF_ARCH_SYSCALL_INSTRUCTION_H_
#define GECKOPROF_ARCH_SYSCALL_INSTRUCTION_H_

namespace geckoprof {

inline long SyscallInstruction(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_SYSCALL_INSTRUCTION_H_
