#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/detail/value_scratch.h"
#include "baseprofiler/marker_abi.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof::internal {

// What UTF-16 texts and lists of one marker may take together, as UTF-8.
inline constexpr size_t kScratchBytes = 2048;

// A list or table that lies somewhere as it is to be written.
struct WrittenValue {
  const void* bytes = nullptr;
  size_t size_bytes = 0;
};

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
  bool was_cut() const { return was_cut_ || scratch_.was_cut(); }

  template <typename Value>
  void Number(Value value) {
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void Byte(uint8_t value) { bytes_[used_++] = value; }
  void Text(std::string_view text) {
    if (text.size() > kMostTextBytes) was_cut_ = true;
    text = Utf8Cut(text, kMostTextBytes);
    Length(text.size());
    Piece(text.data(), text.size());
  }
  void Written(const WrittenValue& value) { Piece(value.bytes, value.size_bytes); }
  template <typename Put>
  void List(size_t size, const Put& put) {
    const size_t begin = scratch_.used();
    const size_t count = scratch_.PutAll(size, put);
    Byte(GECKOPROF_VALUE_ARRAY);
    Length(count);
    Piece(scratch_.at(begin), scratch_.used() - begin);
  }
  std::string_view ToUtf8(std::u16string_view text) { return scratch_.ToUtf8(text); }
  // Of elements: see ValueScratch.
  bool PutText(std::string_view text) { return scratch_.PutText(text); }
  bool PutInt(int64_t value) { return scratch_.PutInt(value); }
  bool PutUint(uint64_t value) { return scratch_.PutUint(value); }
  bool PutDouble(double value) { return scratch_.PutDouble(value); }
  bool PutTag(geckoprof_value_tag tag) { return scratch_.PutTag(tag); }
  bool PutRow(size_t cells) { return scratch_.PutRow(cells); }

 private:
  void Length(uint64_t value) { used_ += PutUleb(bytes_ + used_, value); }
  // In line: gcc takes that of one size for another's, and then warns of its bounds.
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
  geckoprof_piece pieces_[kMostPieces];
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_H_
