#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_IN_PLACE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_IN_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/detail/payload.h"

namespace geckoprof::internal {

// PayloadSize counts the bytes of a payload that is written in place. A text of 128 bytes or more is too long for that.
class PayloadSize {
 public:
  template <typename Value>
  void Number(Value) {
    bytes_ += sizeof(Value);
  }
  void Byte(uint8_t) { ++bytes_; }
  void Written(const WrittenValue& value) { bytes_ += value.size_bytes; }
  void Text(std::string_view text) { bytes_ += text.size() < 128 ? 1 + text.size() : 1000; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// Copies a text of up to GECKOPROF_MOST_BYTES_IN_PLACE bytes, in words that may overlap. If gcc knows a bound of the
// length, it makes memcpy a `rep movs`, which takes 10 ns longer. This is out of line, where gcc knows no bound.
__attribute__((noinline)) inline void CopyShortText(uint8_t* to, const char* text, size_t bytes) {
  constexpr size_t kWord = 8, kBlock = 16;
  if (bytes >= kBlock) {
    for (size_t i = 0; i < bytes - kBlock; i += kBlock) std::memcpy(to + i, text + i, kBlock);
    std::memcpy(to + bytes - kBlock, text + bytes - kBlock, kBlock);
  } else if (bytes >= kWord) {
    std::memcpy(to, text, kWord);
    std::memcpy(to + bytes - kWord, text + bytes - kWord, kWord);
  } else {
    for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(text[i]);
  }
}

// PayloadInPlace writes a payload to where geckoprof_base_begin_in_place pointed.
class PayloadInPlace {
 public:
  explicit PayloadInPlace(void* to) : to_(static_cast<uint8_t*>(to)) {}
  template <typename Value>
  void Number(Value value) {
    std::memcpy(to_, &value, sizeof value);
    to_ += sizeof value;
  }
  void Byte(uint8_t value) { *to_++ = value; }
  void Written(const WrittenValue& value) {
    std::memcpy(to_, value.bytes, value.size_bytes);
    to_ += value.size_bytes;
  }
  void Text(std::string_view text) {
    const size_t bytes = text.size();
    Byte(static_cast<uint8_t>(bytes));
    if (__builtin_constant_p(bytes) && bytes != 0) {
      std::memcpy(to_, text.data(), bytes);
    } else {
      CopyShortText(to_, text.data(), bytes);
    }
    to_ += bytes;
  }

 private:
  uint8_t* to_;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_IN_PLACE_H_
