#ifndef GECKOPROF_TOOLS_SYMBOLS_BYTE_CURSOR_H_
#define GECKOPROF_TOOLS_SYMBOLS_BYTE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace geckoprof {

// ByteCursor: numbers of a section (little-endian) one after the other. What would lie behind the end is 0, and
// is_sound false from then on. Lifetime: a view of the bytes.
class ByteCursor {
 public:
  ByteCursor(std::span<const uint8_t> bytes, uint64_t at) : bytes_(bytes), at_(at), is_sound_(at <= bytes.size()) {}

  bool is_sound() const { return is_sound_; }
  uint64_t at() const { return at_; }
  bool AtEnd() const { return !is_sound_ || at_ >= bytes_.size(); }

  // `count`: 1 to 8.
  uint64_t Fixed(size_t count) {
    uint64_t value = 0;
    if (!Has(count)) return 0;
    std::memcpy(&value, bytes_.data() + at_, count);
    at_ += count;
    return value;
  }

  uint64_t Uleb() {
    if (is_sound_ && at_ < bytes_.size() && bytes_[at_] < 0x80) return bytes_[at_++];
    uint64_t value = 0;
    for (int shift = 0; Has(1); shift += shift < 64 ? 7 : 0) {
      const uint8_t byte = bytes_[at_++];
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return 0;
  }

  int64_t Sleb() {
    uint64_t value = 0;
    for (int shift = 0; Has(1);) {
      const uint8_t byte = bytes_[at_++];
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += shift < 64 ? 7 : 0;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= UINT64_MAX << shift;
      return static_cast<int64_t>(value);
    }
    return 0;
  }

  // Up to its zero, which must be there, and on behind it.
  std::string_view Text() {
    if (!Has(1)) return {};
    const uint8_t* text = bytes_.data() + at_;
    const void* zero = std::memchr(text, 0, bytes_.size() - at_);
    is_sound_ = zero != nullptr;
    if (!is_sound_) return {};
    const auto length = static_cast<size_t>(static_cast<const uint8_t*>(zero) - text);
    at_ += length + 1;
    return {reinterpret_cast<const char*>(text), length};
  }

  void Skip(uint64_t count) {
    if (Has(count)) at_ += count;
  }

 private:
  bool Has(uint64_t count) {
    is_sound_ = is_sound_ && count <= bytes_.size() - at_;
    return is_sound_;
  }

  std::span<const uint8_t> bytes_;
  uint64_t at_;
  bool is_sound_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_BYTE_CURSOR_H_
