// Copying and setting many bytes by the processor itself: since 2013 as fast as any loop (ERMS), for hundreds of bytes.
#ifndef GECKOPROF_ARCH_REPEAT_BYTES_H_
#define GECKOPROF_ARCH_REPEAT_BYTES_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

inline void CopyRepeated(uint8_t* to, const uint8_t* from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

inline void SetRepeated(uint8_t* to, uint8_t value, size_t bytes) {
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_REPEAT_BYTES_H_
