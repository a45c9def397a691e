#ifndef GECKOPROF_TOOLS_JSON_JSON_TREE_BUILDER_H_
#define GECKOPROF_TOOLS_JSON_JSON_TREE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/json/growing_bytes.h"
#include "tools/json/json_tree.h"

namespace geckoprof {

// JsonTreeBuilder: makes a JsonTree of a reader's events. Values wait on a stack of bytes, near ones as they will stay,
// until their container ends; one that is large then moves to the tree, an array of numbers as a column.
// Lifetime: the tree outlives it. One builder a tree.
class JsonTreeBuilder {
 public:
  explicit JsonTreeBuilder(JsonTree* tree) : tree_(tree) {}

  void Null() { stack_.AppendByte(static_cast<uint8_t>(JsonTag::kNull)); }
  void Bool(bool value) { stack_.AppendByte(static_cast<uint8_t>(value ? JsonTag::kTrue : JsonTag::kFalse)); }
  void Integer(int64_t value) {
    if (value < 0 || value >= 128) return WideInteger(value);
    stack_.AppendByte(static_cast<uint8_t>(static_cast<uint8_t>(JsonTag::kSmallInt) + value));
  }
  void Double(double value) { PutTagged(JsonTag::kDouble, &value, sizeof value); }
  void String(std::string_view text);  // the bytes are copied
  void Key(std::string_view name);
  void StartContainer() {
    starts_.push_back(stack_.size());
    stack_.Extend(3);  // tag, bytes, count: written at the end
  }
  // Return false where the tree is full: its positions have 32 bits.
  bool EndArray(size_t count) { return EndContainer(JsonTag::kArray, JsonTag::kFarArray, count); }
  bool EndObject(size_t count) { return EndContainer(JsonTag::kObject, JsonTag::kFarObject, count); }
  // After the one value of a text. REQUIRES: all containers have ended.
  void Finish();

 private:
  // Names are kept once up to this many and this long: files have some hundred.
  static constexpr size_t kMaxKeys = 1 << 16, kMaxKeyBytes = 64;

  void PutTagged(JsonTag tag, const void* bytes, size_t count) {
    uint8_t* const value = stack_.Extend(1 + count);
    *value = static_cast<uint8_t>(tag);
    memcpy(value + 1, bytes, count);
  }
  void WideInteger(int64_t value);
  bool EndContainer(JsonTag near, JsonTag far, size_t count);
  void MoveFar(JsonTag far, size_t first, size_t count);
  void AppendStarts(const uint8_t* first, size_t count);
  template <typename Number>
  void AppendColumn(Number null, const uint8_t* value, size_t count);
  void AppendHeader(JsonTag tag, size_t count);
  uint32_t NumberOfKey(std::string_view name);

  JsonTree* tree_;
  GrowingBytes stack_;
  std::vector<size_t> starts_;                                   // of the open containers, on the stack
  absl::flat_hash_map<std::string_view, uint32_t> key_numbers_;  // from 1 on
  std::vector<uint32_t> followers_{0};  // of each key, the one that came after it last; 0: none
  uint32_t last_key_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_TREE_BUILDER_H_
