#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_IN_PLACE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_IN_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/detail/payload.h"

namespace geckoprof::internal {

// Counts what a payload takes that is written in place. A text of 128 bytes or more is too long for that.
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

// Writes where there is room for it.
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
    Byte(static_cast<uint8_t>(text.size()));
    if (!text.empty()) std::memcpy(to_, text.data(), text.size());
    to_ += text.size();
  }

 private:
  uint8_t* to_;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_IN_PLACE_H_
