// LEB128 integers, unsigned and signed. They consist of 7-bit groups, least significant first (DWARF 5, section 7.6).
#ifndef GECKOPROF_SEGMENT_LEB128_H_
#define GECKOPROF_SEGMENT_LEB128_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace geckoprof {

inline constexpr size_t kMaxLeb128Bytes = 10;  // 64 bits in groups of 7

constexpr size_t Uleb128Bytes(uint64_t value) {
  size_t bytes = 1;
  while (value >>= 7) ++bytes;
  return bytes;
}

// Writes to `out`, which has at least kMaxLeb128Bytes, and returns the end.
constexpr uint8_t* WriteUleb128(uint64_t value, uint8_t* out) {
  while (value >= 0x80) {
    *out++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<uint8_t>(value);
  return out;
}

// Writes the same bytes, but without a branch for each byte if the value has up to 28 bits. It takes about a
// nanosecond. It may write to all kMaxLeb128Bytes.
inline uint8_t* WriteUleb128Fast(uint64_t value, uint8_t* out) {
  if (value >> 28 != 0) return WriteUleb128(value, out);
  const auto low = static_cast<uint32_t>(value);
  const uint32_t groups = (low & 0x7f) | (low & 0x3f80) << 1 | (low & 0x1fc000) << 2 | (low & 0xfe00000) << 3;
  const uint32_t bits = 32 - static_cast<uint32_t>(std::countl_zero(low | 1));
  const uint32_t bytes = (bits + 6) * 37 >> 8;  // (bits + 6) / 7
  const uint32_t word = groups | (0x80808080 & ((1u << (8 * (bytes - 1))) - 1));
  for (uint32_t i = 0; i < 4; ++i) out[i] = static_cast<uint8_t>(word >> (8 * i));  // one store
  return out + bytes;
}

// Zigzag coding maps numbers of small magnitude and either sign to small unsigned numbers.
constexpr uint64_t ToZigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t FromZigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

// Leb128Reader reads numbers and bytes from a span of untrusted bytes. A read past the end or an overlong number makes
// ok() false. All later reads return 0.
class Leb128Reader {
 public:
  explicit constexpr Leb128Reader(std::span<const uint8_t> bytes) : rest_(bytes) {}

  constexpr bool ok() const { return ok_; }
  constexpr size_t remaining() const { return rest_.size(); }

  constexpr uint64_t Uleb() {
    uint64_t value = 0;
    for (size_t i = 0; i < kMaxLeb128Bytes && i < rest_.size(); ++i) {
      const uint8_t byte = rest_[i];
      // The tenth byte may hold only the last bit of 64.
      if (i == 9 && byte > 1) break;
      value |= uint64_t{byte & 0x7fu} << (7 * i);
      if ((byte & 0x80) == 0) {
        rest_ = rest_.subspan(i + 1);
        return value;
      }
    }
    return Fail();
  }
  constexpr int64_t Zigzag() { return FromZigzag(Uleb()); }
  constexpr uint8_t Byte() {
    if (rest_.empty()) return static_cast<uint8_t>(Fail());
    const uint8_t byte = rest_[0];
    rest_ = rest_.subspan(1);
    return byte;
  }
  constexpr std::span<const uint8_t> Bytes(uint64_t count) {
    if (count > rest_.size()) {
      Fail();
      return {};
    }
    const auto bytes = rest_.first(static_cast<size_t>(count));
    rest_ = rest_.subspan(static_cast<size_t>(count));
    return bytes;
  }

 private:
  constexpr uint64_t Fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::span<const uint8_t> rest_;
  bool ok_ = true;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_LEB128_H_
