// Copying and setting many bytes.
#ifndef GECKOPROF_ARCH_REPEAT_BYTES_H_
#define GECKOPROF_ARCH_REPEAT_BYTES_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// 64 bytes at a time through registers: into memory that another core has read last, as a capture buffer is, `rep
// movsb` took 2 us longer for 16 KiB.
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

#endif  // GECKOPROF_ARCH_REPEAT_BYTES_H_
