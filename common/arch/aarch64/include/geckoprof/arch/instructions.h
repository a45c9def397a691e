// Instructions of aarch64 that C++ has no words for. The system call has its number in x8 and its arguments in x0 to x5
// (syscall(2), "Architecture calling conventions").
#ifndef GECKOPROF_ARCH_INSTRUCTIONS_H_
#define GECKOPROF_ARCH_INSTRUCTIONS_H_

#include <cstddef>
#include <cstdint>

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

inline uint64_t ReadCycleCounter() {
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}

// A system call that a signal cut short cannot be made again, because its first argument is gone. Signals that may come
// during a call are therefore avoided.
inline constexpr bool kRepeatsInterruptedCalls = false;

inline void SpinHint() { asm volatile("yield" ::: "memory"); }

// A program cannot enable such a check here.
inline void DisableAlignmentCheck() {}

inline void CopyRepeated(uint8_t* to, const uint8_t* from, size_t bytes) {
  for (; bytes >= 16; bytes -= 16, to += 16, from += 16) {
    uint64_t low, high;
    asm volatile("ldp %0, %1, [%2]" : "=r"(low), "=r"(high) : "r"(from) : "memory");
    asm volatile("stp %0, %1, [%2]" : : "r"(low), "r"(high), "r"(to) : "memory");
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
}

inline void SetRepeated(uint8_t* to, uint8_t value, size_t bytes) {
  for (; bytes > 0; --bytes) *to++ = value;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_INSTRUCTIONS_H_
