#ifndef GECKOPROF_ENTRIES_ENTRY_BUILDER_H_
#define GECKOPROF_ENTRIES_ENTRY_BUILDER_H_

#include <string.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/base/utf8.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/segment/leb128.h"

namespace geckoprof {

// EntryBuilder writes the fields of one entry into the caller's array. If a field has no room, it is left out and
// fits() is false. A text without enough room is cut at the start of a UTF-8 character.
//
// Context: any, signal context included.
class EntryBuilder {
 public:
  EntryBuilder(EntryType kind, std::span<uint8_t> out) : out_(out) { Byte(static_cast<uint8_t>(kind)); }
  // Builds a compound field, which has no kind byte.
  explicit EntryBuilder(std::span<uint8_t> out) : out_(out) {}

  EntryBuilder& Byte(uint8_t value) {
    if (used_ < out_.size()) {
      out_[used_++] = value;
    } else {
      fits_ = false;
    }
    return *this;
  }
  EntryBuilder& U(uint64_t value) {
    if (out_.size() - used_ < kMaxLeb128Bytes) {
      fits_ = false;
      return *this;
    }
    used_ = static_cast<size_t>(WriteUleb128Fast(value, out_.data() + used_) - out_.data());
    return *this;
  }
  EntryBuilder& Z(int64_t value) { return U(ToZigzag(value)); }
  // Writes the number in the machine's byte order and width.
  template <typename Number>
  EntryBuilder& Fixed(Number value) {
    if (out_.size() - used_ < sizeof value) {
      fits_ = false;
      return *this;
    }
    memcpy(out_.data() + used_, &value, sizeof value);
    used_ += sizeof value;
    return *this;
  }
  EntryBuilder& T(std::string_view text) {
    const size_t room = out_.size() - used_ > kMaxLeb128Bytes ? out_.size() - used_ - kMaxLeb128Bytes : 0;
    if (text.size() > room) {
      fits_ = false;
      text = Utf8Cut(text, room);
    }
    U(text.size());
    if (!text.empty() && text.size() <= out_.size() - used_) {
      memcpy(out_.data() + used_, text.data(), text.size());
      used_ += text.size();
    }
    return *this;
  }

  bool fits() const { return fits_; }
  std::span<const uint8_t> bytes() const { return out_.first(used_); }

 private:
  std::span<uint8_t> out_;
  size_t used_ = 0;
  bool fits_ = true;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_ENTRY_BUILDER_H_
