// Copying and setting many bytes: 16 at a time, in a pair of registers.
#ifndef GECKOPROF_ARCH_REPEAT_BYTES_H_
#define GECKOPROF_ARCH_REPEAT_BYTES_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

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

#endif  // GECKOPROF_ARCH_REPEAT_BYTES_H_
