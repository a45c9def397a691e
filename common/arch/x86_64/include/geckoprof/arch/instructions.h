// Instructions of x86-64 that C++ has no words for. The system call has its number in rax and its arguments in rdi,
// rsi, rdx, r10, r8 and r9 (System V ABI, appendix A.2).
#ifndef GECKOPROF_ARCH_INSTRUCTIONS_H_
#define GECKOPROF_ARCH_INSTRUCTIONS_H_

#include <cstddef>
#include <cstdint>

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

// There is no fence, so the read is not ordered with the instructions around it. An ordered rdtscp takes a third
// longer.
inline uint64_t ReadCycleCounter() {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t{high} << 32) | low;
}

// A system call that a signal cut short can be made again.
inline constexpr bool kRepeatsInterruptedCalls = true;

inline void SpinHint() { asm volatile("pause" ::: "memory"); }

// A signal handler starts with the setting of the interrupted code. The end of the handler restores it.
inline void DisableAlignmentCheck() {
  constexpr unsigned long long kAlignmentCheck = 1 << 18;
  const unsigned long long flags = __builtin_ia32_readeflags_u64();
  if ((flags & kAlignmentCheck) != 0) __builtin_ia32_writeeflags_u64(flags & ~kAlignmentCheck);
}

// Copies 64 bytes at a time through registers. `rep movsb` is slower into memory that another core has read last, such
// as a capture buffer.
inline void CopyRepeated(uint8_t* to, const uint8_t* from, size_t bytes) {
  using Vector = long long __attribute__((vector_size(16)));
  struct [[gnu::packed, gnu::may_alias]] Block {  // at any address: clang takes that of a struct alone
    Vector bytes;
  };
  constexpr size_t kBlocks = 4;
  for (; bytes >= kBlocks * sizeof(Block); bytes -= kBlocks * sizeof(Block)) {
    const auto* const source = reinterpret_cast<const Block*>(from);
    auto* const target = reinterpret_cast<Block*>(to);
    const Block a = source[0], b = source[1], c = source[2], d = source[3];
    target[0] = a;
    target[1] = b;
    target[2] = c;
    target[3] = d;
    from += kBlocks * sizeof(Block);
    to += kBlocks * sizeof(Block);
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
}

inline void SetRepeated(uint8_t* to, uint8_t value, size_t bytes) {
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_INSTRUCTIONS_H_
