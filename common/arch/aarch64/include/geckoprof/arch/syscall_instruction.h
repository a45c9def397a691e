// The system call instruction of aarch64 (number in x8, arguments x0 to x5; syscall(2), "Architecture calling
// conventions").
#ifndef GECKOPROF_ARCH_SYSCALL_INSTRUCTION_H_
#define GECKOPROF_ARCH_SYSCALL_INSTRUCTION_H_

namespace geckoprof {

inline long SyscallInstruction(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_SYSCALL_INSTRUCTION_H_
