#ifndef GECKOPROF_BASEPROFILER_DETAIL_VALUE_SCRATCH_H_
#define GECKOPROF_BASEPROFILER_DETAIL_VALUE_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof::internal {

constexpr size_t PutUleb(uint8_t* to, uint64_t value) {
  size_t bytes = 0;
  for (; value >= 0x80; value >>= 7) to[bytes++] = static_cast<uint8_t>(value | 0x80);
  to[bytes++] = static_cast<uint8_t>(value);
  return bytes;
}

// ValueScratch: what cannot stay where it is, copied, one after the other: texts, UTF-16 as UTF-8, the values of lists
// and tables. What does not fit is cut, between characters or elements.
template <size_t kBytes>
class ValueScratch {
 public:
  bool was_cut() const { return was_cut_; }
  size_t used() const { return used_; }
  const uint8_t* at(size_t offset) const { return bytes_ + offset; }

  // The elements of a list: put(i) puts its element i, by PutText and the like; false: there is no room for it. Returns
  // how many there was room for.
  template <typename Put>
  size_t PutAll(size_t size, const Put& put) {
    for (size_t i = 0; i < size; ++i) {
      const size_t before = used_;
      if (put(i)) continue;
      used_ = before;
      was_cut_ = true;
      return i;
    }
    return size;
  }
  bool PutText(std::string_view text) {
    if (!PutHead(GECKOPROF_VALUE_STRING, text.size(), text.size())) return false;
    if (!text.empty()) std::memcpy(bytes_ + used_, text.data(), text.size());
    used_ += text.size();
    return true;
  }
  bool PutInt(int64_t value) {
    return PutHead(GECKOPROF_VALUE_INT, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63), 0);
  }
  bool PutUint(uint64_t value) { return PutHead(GECKOPROF_VALUE_UINT, value, 0); }
  bool PutDouble(double value) {
    if (!Has(1 + sizeof value)) return false;
    bytes_[used_++] = GECKOPROF_VALUE_DOUBLE;
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
    return true;
  }
  // Null, false, true.
  bool PutTag(geckoprof_value_tag tag) {
    if (!Has(1)) return false;
    bytes_[used_++] = static_cast<uint8_t>(tag);
    return true;
  }
  // So many values follow.
  bool PutRow(size_t cells) { return PutHead(GECKOPROF_VALUE_ARRAY, cells, 0); }

  // A whole list, with its head: where it begins, or null.
  template <typename Put>
  const uint8_t* PutList(size_t size, const Put& put) {
    const size_t begin = used_;
    if (!Has(3)) {
      was_cut_ = true;
      return nullptr;
    }
    bytes_[used_] = GECKOPROF_VALUE_ARRAY;
    used_ += 3;
    const size_t count = PutAll(size, put);  // fewer than kBytes, so two bytes hold it
    static_assert(kBytes < 0x4000);
    bytes_[begin + 1] = static_cast<uint8_t>(0x80 | (count & 0x7f));
    bytes_[begin + 2] = static_cast<uint8_t>(count >> 7);
    return bytes_ + begin;
  }

  // A copy without a head.
  std::string_view Copy(std::string_view text) {
    if (!Has(text.size())) was_cut_ = true;
    text = Utf8Cut(text, kBytes - used_);
    const size_t begin = used_;
    if (!text.empty()) std::memcpy(bytes_ + begin, text.data(), text.size());
    used_ += text.size();
    return {reinterpret_cast<const char*>(bytes_) + begin, text.size()};
  }
  // Half a pair becomes U+FFFD.
  std::string_view ToUtf8(std::u16string_view text) {
    const size_t begin = used_;
    for (size_t i = 0; i < text.size(); ++i) {
      const char32_t code = Utf16Character(text, i);
      if (!Has(4)) {
        was_cut_ = true;
        break;
      }
      used_ += EncodeUtf8(code, reinterpret_cast<char*>(bytes_) + used_);
    }
    return {reinterpret_cast<const char*>(bytes_) + begin, used_ - begin};
  }

 private:
  static constexpr size_t kMostLengthBytes = 10;  // ULEB128

  bool Has(size_t bytes) const { return bytes <= kBytes - used_; }
  // A tag and a number; there is room for so many bytes more.
  bool PutHead(geckoprof_value_tag tag, uint64_t number, size_t more_bytes) {
    if (more_bytes > kBytes || !Has(1 + kMostLengthBytes + more_bytes)) return false;
    bytes_[used_++] = static_cast<uint8_t>(tag);
    used_ += PutUleb(bytes_ + used_, number);
    return true;
  }

  size_t used_ = 0;
  bool was_cut_ = false;
  uint8_t bytes_[kBytes];
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_VALUE_SCRATCH_H_
