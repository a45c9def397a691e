#ifndef GECKOPROF_BASEPROFILER_SPLICEABLE_JSON_WRITER_H_
#define GECKOPROF_BASEPROFILER_SPLICEABLE_JSON_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_text.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof::baseprofiler {

// SpliceableJSONWriter: what a type's StreamJSONMarkerData writes to. It runs when the marker is made, on the thread
// that makes it, and what it wrote is kept as values: so any process can read them, and the program's code is not
// needed any more by then.
//
// Room for kMostBytes, on the stack; lists and objects within lists to kDeepest, with 16,383 elements each at most.
// What goes past that makes the marker one that is too large: dropped and counted. An element outside of an array gets
// the key "element", a property within one loses its key, and what was not opened is not closed. Threads: the one that
// marks. Context: as the marker; no allocation.
class SpliceableJSONWriter {
 public:
  static constexpr size_t kMostBytes = 6 * 1024;
  static constexpr size_t kDeepest = 16;

  SpliceableJSONWriter() { Open(GECKOPROF_VALUE_OBJECT); }

  void StringProperty(MarkerText key, MarkerText text) {
    Key(key);
    PutString(text);
  }
  // As UTF-8; half a pair becomes U+FFFD.
  void StringProperty(MarkerText key, std::u16string_view text) {
    Key(key);
    PutUtf16(text);
  }
  // Once in the file, however often it comes, if the schema says so (Format::UniqueString).
  void UniqueStringProperty(MarkerText key, MarkerText text) { StringProperty(key, text); }
  void UniqueStringProperty(MarkerText key, std::u16string_view text) { StringProperty(key, text); }
  void IntProperty(MarkerText key, int64_t value) {
    Key(key);
    PutInt(value);
  }
  // The original has none: for what is beyond an int64_t.
  void UintProperty(MarkerText key, uint64_t value) {
    Key(key);
    PutUint(value);
  }
  void DoubleProperty(MarkerText key, double value) {
    Key(key);
    PutDouble(value);
  }
  void TimeDoubleMsProperty(MarkerText key, double value_ms) { DoubleProperty(key, value_ms); }
  void TimeProperty(MarkerText key, TimeStamp time) {
    Key(key);
    Byte(GECKOPROF_VALUE_TIME);
    const geckoprof_time value = time.time();
    Bytes(&value, sizeof value);
  }
  void BoolProperty(MarkerText key, bool value) {
    Key(key);
    Byte(value ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
  }
  void NullProperty(MarkerText key) {
    Key(key);
    Byte(GECKOPROF_VALUE_NULL);
  }
  // Hexadecimal, as the viewer wants it (Format::FlowId).
  void FlowProperty(MarkerText key, Flow flow) {
    constexpr char kDigits[] = "0123456789abcdef";
    char text[16];
    size_t at = sizeof text;
    uint64_t id = flow.id();
    do {
      text[--at] = kDigits[id & 15];
      id >>= 4;
    } while (id != 0);
    StringProperty(key, std::string_view(text + at, sizeof text - at));
  }

  // How the text is broken into lines, which here it never is.
  enum CollectionStyle : uint8_t { SingleLineStyle, MultiLineStyle };
  void StartObjectProperty(MarkerText key, CollectionStyle = MultiLineStyle) {
    Key(key);
    Open(GECKOPROF_VALUE_OBJECT);
  }
  void StartArrayProperty(MarkerText key, CollectionStyle = MultiLineStyle) {
    Key(key);
    Open(GECKOPROF_VALUE_ARRAY);
  }
  void StartObjectElement(CollectionStyle = MultiLineStyle) { Element(GECKOPROF_VALUE_OBJECT); }
  void StartArrayElement(CollectionStyle = MultiLineStyle) { Element(GECKOPROF_VALUE_ARRAY); }
  void EndObject() { End(); }
  void EndArray() { End(); }

  void StringElement(MarkerText text) {
    Count();
    PutString(text);
  }
  void StringElement(std::u16string_view text) {
    Count();
    PutUtf16(text);
  }
  void UniqueStringElement(MarkerText text) { StringElement(text); }
  void IntElement(int64_t value) {
    Count();
    PutInt(value);
  }
  void UintElement(uint64_t value) {
    Count();
    PutUint(value);
  }
  void DoubleElement(double value) {
    Count();
    PutDouble(value);
  }
  void BoolElement(bool value) {
    Count();
    Byte(value ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
  }
  void NullElement() {
    Count();
    Byte(GECKOPROF_VALUE_NULL);
  }

  // Everything that was opened is closed. One piece, of size 0 if it was too much.
  geckoprof_piece Finish() {
    while (depth_ > 0) Close();
    return {bytes_, failed_ ? 0 : used_};
  }

 private:
  struct Level {
    size_t count_at;
    uint32_t count;
    bool is_array;
  };

  void Byte(int value) {
    if (used_ < kMostBytes) {
      bytes_[used_++] = static_cast<uint8_t>(value);
    } else {
      failed_ = true;
    }
  }
  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) Byte(static_cast<int>(value & 0x7f) | 0x80);
    Byte(static_cast<int>(value));
  }
  void Bytes(const void* from, size_t size) {
    if (size > kMostBytes || used_ > kMostBytes - size) {  // so that the compiler sees it
      failed_ = true;
      return;
    }
    if (size > 0) std::memcpy(bytes_ + used_, from, size);
    used_ += size;
  }
  void Text(std::string_view text) {
    Number(text.size());
    Bytes(text.data(), text.size());
  }
  void PutString(std::string_view text) {
    Byte(GECKOPROF_VALUE_STRING);
    Text(text);
  }
  void PutUtf16(std::u16string_view text) {
    char bytes[4];
    size_t size = 0;
    for (size_t i = 0; i < text.size(); ++i) size += EncodeUtf8(Utf16Character(text, i), bytes);
    Byte(GECKOPROF_VALUE_STRING);
    Number(size);
    for (size_t i = 0; i < text.size(); ++i) Bytes(bytes, EncodeUtf8(Utf16Character(text, i), bytes));
  }
  void PutInt(int64_t value) {
    Byte(GECKOPROF_VALUE_INT);
    Number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void PutUint(uint64_t value) {
    Byte(GECKOPROF_VALUE_UINT);
    Number(value);
  }
  void PutDouble(double value) {
    Byte(GECKOPROF_VALUE_DOUBLE);
    Bytes(&value, sizeof value);
  }
  void Count() {
    Level& level = levels_[depth_ - 1];
    ++level.count;
    if (!level.is_array) Text("element");
  }
  void Key(std::string_view key) {
    Level& level = levels_[depth_ - 1];
    ++level.count;
    if (!level.is_array) Text(key);
  }
  void Element(int tag) {
    Count();
    Open(tag);
  }
  // How many there are is not known yet: two bytes of ULEB128 are left for it.
  void Open(int tag) {
    Byte(tag);
    if (depth_ == kDeepest) {
      failed_ = true;
      ++past_deepest_;
      return;
    }
    levels_[depth_++] = {used_, 0, tag == GECKOPROF_VALUE_ARRAY};
    Byte(0);
    Byte(0);
  }
  void End() {
    if (past_deepest_ > 0) {
      --past_deepest_;
    } else if (depth_ > 1) {
      Close();
    }
  }
  void Close() {
    const Level level = levels_[--depth_];
    failed_ = failed_ || level.count > 0x3fff;
    if (failed_) return;
    bytes_[level.count_at] = static_cast<uint8_t>(0x80 | (level.count & 0x7f));
    bytes_[level.count_at + 1] = static_cast<uint8_t>(level.count >> 7);
  }

  size_t used_ = 0;
  size_t depth_ = 0;
  size_t past_deepest_ = 0;
  bool failed_ = false;
  Level levels_[kDeepest];
  uint8_t bytes_[kMostBytes];
};

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_SPLICEABLE_JSON_WRITER_H_
