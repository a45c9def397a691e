#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/marker_abi.h"

namespace geckoprof::internal {

// What UTF-16 texts and lists of one marker may take together, as UTF-8.
inline constexpr size_t kScratchBytes = 2048;

// Payload: the pieces of one marker's payload. What is of fixed size lies in `bytes_`; strings stay where they are.
template <size_t kFieldCount, size_t kMostPieces, bool kHasScratch>
class Payload {
  static_assert(kMostPieces <= GECKOPROF_MOST_PIECES, "a marker type has 31 fields with a text or a list at most");

 public:
  // A text is cut there, between characters.
  static constexpr size_t kMostTextBytes = 4096;

  const geckoprof_piece* Finish() {
    Flush();
    return pieces_;
  }
  uint32_t piece_count() const { return piece_count_; }
  bool was_cut() const { return was_cut_; }

  template <typename Value>
  void Number(Value value) {
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void Byte(uint8_t value) { bytes_[used_++] = value; }
  void Text(std::string_view text) {
    if (text.size() > kMostTextBytes) {
      size_t size = kMostTextBytes;
      while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xc0) == 0x80) --size;
      text = text.substr(0, size);
      was_cut_ = true;
    }
    Length(text.size());
    if (text.empty()) return;
    Flush();
    pieces_[piece_count_++] = {text.data(), text.size()};
  }
  // A list: put(i) puts its element i, by PutText and the like; false: there is no room for it, and the list is cut.
  template <typename Put>
  void List(size_t size, const Put& put) {
    const size_t begin = scratch_used_;
    size_t count = 0;
    for (; count < size; ++count) {
      const size_t before = scratch_used_;
      if (put(count)) continue;
      scratch_used_ = before;
      was_cut_ = true;
      break;
    }
    Byte(GECKOPROF_VALUE_ARRAY);
    Length(count);
    Flush();
    if (scratch_used_ > begin) pieces_[piece_count_++] = {scratch_ + begin, scratch_used_ - begin};
  }
  bool PutText(std::string_view text) {
    if (!PutHead(GECKOPROF_VALUE_STRING, text.size(), text.size())) return false;
    if (!text.empty()) std::memcpy(scratch_ + scratch_used_, text.data(), text.size());
    scratch_used_ += text.size();
    return true;
  }
  bool PutInt(int64_t value) {
    return PutHead(GECKOPROF_VALUE_INT, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63), 0);
  }
  bool PutDouble(double value) {
    if (!ScratchHas(1 + sizeof value)) return false;
    scratch_[scratch_used_++] = GECKOPROF_VALUE_DOUBLE;
    std::memcpy(scratch_ + scratch_used_, &value, sizeof value);
    scratch_used_ += sizeof value;
    return true;
  }
  // Null, false, true.
  bool PutTag(geckoprof_value_tag tag) {
    if (!ScratchHas(1)) return false;
    scratch_[scratch_used_++] = static_cast<uint8_t>(tag);
    return true;
  }
  // So many values follow.
  bool PutRow(size_t cells) { return PutHead(GECKOPROF_VALUE_ARRAY, cells, 0); }
  // Half a pair becomes U+FFFD.
  std::string_view ToUtf8(std::u16string_view text) {
    const size_t begin = scratch_used_;
    for (size_t i = 0; i < text.size(); ++i) {
      uint32_t code = text[i];
      const bool leads = code >= 0xd800 && code < 0xdc00 && i + 1 < text.size() && (text[i + 1] & 0xfc00) == 0xdc00;
      if (leads) {
        code = 0x10000 + ((code & 0x3ff) << 10 | (text[++i] & 0x3ffu));
      } else if (code >= 0xd800 && code < 0xe000) {
        code = 0xfffd;
      }
      if (!ScratchHas(4)) {
        was_cut_ = true;
        break;
      }
      PutUtf8(code);
    }
    return {reinterpret_cast<const char*>(scratch_) + begin, scratch_used_ - begin};
  }
  void PutUtf8(uint32_t code) {
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    constexpr uint8_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; code >>= 6)
      scratch_[scratch_used_ + i] = static_cast<uint8_t>(0x80 | (code & 0x3f));
    scratch_[scratch_used_] = static_cast<uint8_t>(kLead[bytes] | code);
    scratch_used_ += bytes;
  }
  bool ScratchHas(size_t bytes) const { return bytes <= sizeof scratch_ - scratch_used_; }

 private:
  static constexpr size_t kMostLengthBytes = 10;  // ULEB128
  // A tag and a number; there is room for so many bytes more.
  bool PutHead(geckoprof_value_tag tag, uint64_t number, size_t more_bytes) {
    if (more_bytes > sizeof scratch_ || !ScratchHas(1 + kMostLengthBytes + more_bytes)) return false;
    scratch_[scratch_used_++] = static_cast<uint8_t>(tag);
    scratch_used_ += PutLength(scratch_ + scratch_used_, number);
    return true;
  }
  static size_t PutLength(uint8_t* to, uint64_t value) {
    size_t bytes = 0;
    for (; value >= 0x80; value >>= 7) to[bytes++] = static_cast<uint8_t>(value | 0x80);
    to[bytes++] = static_cast<uint8_t>(value);
    return bytes;
  }
  void Length(uint64_t value) { used_ += PutLength(bytes_ + used_, value); }
  void Flush() {
    if (used_ == flushed_) return;
    pieces_[piece_count_++] = {bytes_ + flushed_, used_ - flushed_};
    flushed_ = used_;
  }

  size_t used_ = 0;
  size_t flushed_ = 0;
  size_t scratch_used_ = 0;
  uint32_t piece_count_ = 0;
  bool was_cut_ = false;
  uint8_t bytes_[kFieldCount * 12 + 16];
  uint8_t scratch_[kHasScratch ? kScratchBytes : 1];
  geckoprof_piece pieces_[kMostPieces];
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_
