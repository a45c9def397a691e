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

// SpliceableJSONWriter takes the output of a type's StreamJSONMarkerData. The thread that
// makes the marker runs it, at that time. The payload has the values, so any process can read them without code of the
// program.
//
// The object has room for kMaxBytes, on the stack. Lists and objects nest to kMaxDepth, and have at most 16,383
// elements each. A marker beyond these limits is too large. It is dropped and counted. An element outside of an array
// gets the key "element", and a property within an array loses its key. An end without a begin is ignored. Threads: the
// one that marks. Context: as the marker. Nothing is allocated.
class SpliceableJSONWriter {
 public:
  static constexpr size_t kMaxBytes = 6 * 1024;
  static constexpr size_t kMaxDepth = 16;

  SpliceableJSONWriter() { Open(GECKOPROF_VALUE_OBJECT); }

  void StringProperty(MarkerText key, MarkerText text) {
    Key(key);
    AppendString(text);
  }
  // Converts the text to UTF-8. An unpaired surrogate becomes U+FFFD.
  void StringProperty(MarkerText key, std::u16string_view text) {
    Key(key);
    AppendUtf16(text);
  }
  // The file has each text once if the schema says so (Format::UniqueString).
  void UniqueStringProperty(MarkerText key, MarkerText text) { StringProperty(key, text); }
  void UniqueStringProperty(MarkerText key, std::u16string_view text) { StringProperty(key, text); }
  void IntProperty(MarkerText key, int64_t value) {
    Key(key);
    AppendInt(value);
  }
  // For numbers above INT64_MAX. Firefox does not have this function.
  void UintProperty(MarkerText key, uint64_t value) {
    Key(key);
    AppendUint(value);
  }
  void DoubleProperty(MarkerText key, double value) {
    Key(key);
    AppendDouble(value);
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
  // Writes the id in hexadecimal, as the viewer expects (Format::FlowId).
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

  // The style has no effect here.
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
    AppendString(text);
  }
  void StringElement(std::u16string_view text) {
    Count();
    AppendUtf16(text);
  }
  void UniqueStringElement(MarkerText text) { StringElement(text); }
  void IntElement(int64_t value) {
    Count();
    AppendInt(value);
  }
  void UintElement(uint64_t value) {
    Count();
    AppendUint(value);
  }
  void DoubleElement(double value) {
    Count();
    AppendDouble(value);
  }
  void BoolElement(bool value) {
    Count();
    Byte(value ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
  }
  void NullElement() {
    Count();
    Byte(GECKOPROF_VALUE_NULL);
  }

  // Closes everything that is open. Returns one piece, whose size is 0 if the payload is too large.
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
    if (used_ < kMaxBytes) {
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
    if (size > kMaxBytes || used_ > kMaxBytes - size) {  // The first test tells the compiler the bound.
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
  void AppendString(std::string_view text) {
    Byte(GECKOPROF_VALUE_STRING);
    Text(text);
  }
  void AppendUtf16(std::u16string_view text) {
    char bytes[4];
    size_t size = 0;
    for (size_t i = 0; i < text.size(); ++i) size += EncodeUtf8(Utf16Character(text, i), bytes);
    Byte(GECKOPROF_VALUE_STRING);
    Number(size);
    for (size_t i = 0; i < text.size(); ++i) Bytes(bytes, EncodeUtf8(Utf16Character(text, i), bytes));
  }
  void AppendInt(int64_t value) {
    Byte(GECKOPROF_VALUE_INT);
    Number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void AppendUint(uint64_t value) {
    Byte(GECKOPROF_VALUE_UINT);
    Number(value);
  }
  void AppendDouble(double value) {
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
  // The number of elements is not known yet. Two bytes of ULEB128 are reserved for it.
  void Open(int tag) {
    Byte(tag);
    if (depth_ == kMaxDepth) {
      failed_ = true;
      ++past_max_depth_;
      return;
    }
    levels_[depth_++] = {used_, 0, tag == GECKOPROF_VALUE_ARRAY};
    Byte(0);
    Byte(0);
  }
  void End() {
    if (past_max_depth_ > 0) {
      --past_max_depth_;
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
  size_t past_max_depth_ = 0;
  bool failed_ = false;
  Level levels_[kMaxDepth];
  uint8_t bytes_[kMaxBytes];
};

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_SPLICEABLE_JSON_WRITER_H_
