// The bytes of a marker's payload. marker_abi.h describes them.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof::internal {

// Returns the number of bytes that it writes.
constexpr size_t WriteUleb(uint8_t* to, uint64_t value) {
  size_t bytes = 0;
  for (; value >= 0x80; value >>= 7) to[bytes++] = static_cast<uint8_t>(value | 0x80);
  to[bytes++] = static_cast<uint8_t>(value);
  return bytes;
}

// ValueScratch holds copies of values that cannot stay in place: texts, UTF-16 as UTF-8, and the values of lists and
// tables. Values that do not fit are cut, between characters or elements.
template <size_t kBytes>
class ValueScratch {
 public:
  bool was_cut() const { return was_cut_; }
  size_t used() const { return used_; }
  const uint8_t* at(size_t offset) const { return bytes_ + offset; }

  // Appends the elements of a list. append(i) appends element i with AppendText or a similar function, and returns
  // false if there is no room. Returns the number of elements that fit.
  template <typename Append>
  size_t AppendElements(size_t size, const Append& append) {
    for (size_t i = 0; i < size; ++i) {
      const size_t before = used_;
      if (append(i)) continue;
      used_ = before;
      was_cut_ = true;
      return i;
    }
    return size;
  }
  bool AppendText(std::string_view text) {
    if (!AppendHead(GECKOPROF_VALUE_STRING, text.size(), text.size())) return false;
    if (!text.empty()) std::memcpy(bytes_ + used_, text.data(), text.size());
    used_ += text.size();
    return true;
  }
  bool AppendInt(int64_t value) {
    return AppendHead(GECKOPROF_VALUE_INT, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63), 0);
  }
  bool AppendUint(uint64_t value) { return AppendHead(GECKOPROF_VALUE_UINT, value, 0); }
  bool AppendDouble(double value) {
    if (!Has(1 + sizeof value)) return false;
    bytes_[used_++] = GECKOPROF_VALUE_DOUBLE;
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
    return true;
  }
  // The tag is null, false or true.
  bool AppendTag(geckoprof_value_tag tag) {
    if (!Has(1)) return false;
    bytes_[used_++] = static_cast<uint8_t>(tag);
    return true;
  }
  // Begins a row of `cells` values.
  bool AppendRow(size_t cells) { return AppendHead(GECKOPROF_VALUE_ARRAY, cells, 0); }

  // Appends a whole list with its head. Returns the begin of the list, or null.
  template <typename Append>
  const uint8_t* AppendList(size_t size, const Append& append) {
    const size_t begin = used_;
    if (!Has(3)) {
      was_cut_ = true;
      return nullptr;
    }
    bytes_[used_] = GECKOPROF_VALUE_ARRAY;
    used_ += 3;
    const size_t count = AppendElements(size, append);  // Two bytes hold it, since it is less than kBytes.
    static_assert(kBytes < 0x4000);
    bytes_[begin + 1] = static_cast<uint8_t>(0x80 | (count & 0x7f));
    bytes_[begin + 2] = static_cast<uint8_t>(count >> 7);
    return bytes_ + begin;
  }

  // Returns a copy without a head.
  std::string_view Copy(std::string_view text) {
    if (!Has(text.size())) was_cut_ = true;
    text = Utf8Cut(text, kBytes - used_);
    const size_t begin = used_;
    if (!text.empty()) std::memcpy(bytes_ + begin, text.data(), text.size());
    used_ += text.size();
    return {reinterpret_cast<const char*>(bytes_) + begin, text.size()};
  }
  // An unpaired surrogate becomes U+FFFD.
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
  static constexpr size_t kMaxLengthBytes = 10;  // ULEB128

  bool Has(size_t bytes) const { return bytes <= kBytes - used_; }
  // Appends a tag and a number if there is room for `more_bytes` behind them.
  bool AppendHead(geckoprof_value_tag tag, uint64_t number, size_t more_bytes) {
    if (more_bytes > kBytes || !Has(1 + kMaxLengthBytes + more_bytes)) return false;
    bytes_[used_++] = static_cast<uint8_t>(tag);
    used_ += WriteUleb(bytes_ + used_, number);
    return true;
  }

  size_t used_ = 0;
  bool was_cut_ = false;
  uint8_t bytes_[kBytes];
};

// The room for all UTF-16 texts and lists of one marker, as UTF-8.
inline constexpr size_t kScratchBytes = 2048;

// A list or table that lies in memory in the form of the payload.
struct WrittenValue {
  const void* bytes = nullptr;
  size_t size_bytes = 0;
};

// Payload collects the pieces of one marker's payload. Values of fixed size are copied to `bytes_`. Strings stay in
// place.
template <size_t kFieldCount, size_t kMaxPieces, bool kHasScratch>
class Payload {
  static_assert(kMaxPieces <= GECKOPROF_MOST_PIECES, "a marker type has 31 fields with a text or a list at most");

 public:
  // A longer text is cut between characters.
  static constexpr size_t kMaxTextBytes = 4096;

  const geckoprof_piece* Finish() {
    Flush();
    return pieces_;
  }
  uint32_t piece_count() const { return piece_count_; }
  bool was_cut() const { return was_cut_ || scratch_.was_cut(); }

  template <typename Value>
  void Number(Value value) {
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void Byte(uint8_t value) { bytes_[used_++] = value; }
  void Text(std::string_view text) {
    if (text.size() > kMaxTextBytes) was_cut_ = true;
    text = Utf8Cut(text, kMaxTextBytes);
    Length(text.size());
    Piece(text.data(), text.size());
  }
  void Written(const WrittenValue& value) { Piece(value.bytes, value.size_bytes); }
  template <typename Append>
  void List(size_t size, const Append& append) {
    const size_t begin = scratch_.used();
    const size_t count = scratch_.AppendElements(size, append);
    Byte(GECKOPROF_VALUE_ARRAY);
    Length(count);
    Piece(scratch_.at(begin), scratch_.used() - begin);
  }
  std::string_view ToUtf8(std::u16string_view text) { return scratch_.ToUtf8(text); }
  // For the elements of a list, as in ValueScratch.
  bool AppendText(std::string_view text) { return scratch_.AppendText(text); }
  bool AppendInt(int64_t value) { return scratch_.AppendInt(value); }
  bool AppendUint(uint64_t value) { return scratch_.AppendUint(value); }
  bool AppendDouble(double value) { return scratch_.AppendDouble(value); }
  bool AppendTag(geckoprof_value_tag tag) { return scratch_.AppendTag(tag); }
  bool AppendRow(size_t cells) { return scratch_.AppendRow(cells); }

 private:
  void Length(uint64_t value) { used_ += WriteUleb(bytes_ + used_, value); }
  // These two are inlined. Otherwise gcc shares them between payloads of several sizes, and warns about bounds.
  __attribute__((always_inline)) void Piece(const void* bytes, size_t size) {
    Flush();
    if (size > 0) pieces_[piece_count_++] = {bytes, size};
  }
  __attribute__((always_inline)) void Flush() {
    if (used_ == flushed_) return;
    pieces_[piece_count_++] = {bytes_ + flushed_, used_ - flushed_};
    flushed_ = used_;
  }

  size_t used_ = 0;
  size_t flushed_ = 0;
  uint32_t piece_count_ = 0;
  bool was_cut_ = false;
  uint8_t bytes_[kFieldCount * 12 + 16];
  ValueScratch<kHasScratch ? kScratchBytes : 1> scratch_;
  geckoprof_piece pieces_[kMaxPieces];
};

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

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_
