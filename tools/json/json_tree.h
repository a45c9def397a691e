#ifndef GECKOPROF_TOOLS_JSON_JSON_TREE_H_
#define GECKOPROF_TOOLS_JSON_JSON_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "tools/json/growing_bytes.h"

namespace geckoprof {

// How JsonTree keeps values: bytes that begin with a tag. A profile is tables of numbers. A DOM with a
// fixed size for each value needs four times the file. JsonTree needs about half of it.
//
//   near  a value where its container has it
//     [kNull] [kFalse] [kTrue] [kSmallInt + 0..127]
//     [kInt8|16|32|64][the number] [kDouble][8]
//     [kShortString][length 1][bytes] [kLongString][length 4][bytes]
//     [kArray][bytes 1][count 1][value]...              up to 255 of both
//     [kObject][bytes 1][count 1]([key][value])...      likewise
//     [kFar][position 4]                                in the tree's bytes, of one of those below
//   far   containers that are larger
//     [kFarArray][count 4][start of each value 4]...[value]...     starts count from the first value
//     [kFarObject][count 4]([key][value])...
//     [kInt8|16|32|64Column][count 4][numbers]          whole numbers and nulls; null is the lowest number
//     [kDoubleColumn][count 4][numbers]                 numbers and nulls; null is a NaN, which no file has
//   key   its number in the tree's table + 1, seven bits a byte, the lowest first, all but the last with 0x80;
//         0: the string itself follows, as a value

enum class JsonTag : uint8_t {
  kNull,
  kFalse,
  kTrue,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kDouble,
  kShortString,
  kLongString,
  kArray,
  kObject,
  kFar,
  kFarArray,
  kFarObject,
  kInt8Column,
  kInt16Column,
  kInt32Column,
  kInt64Column,
  kDoubleColumn,
  kSmallInt = 0x80,
};

// JsonTree: the values of a JSON text in few bytes. JsonTreeBuilder makes it, JsonView
// reads it. Only the builder's bytes are ever read, so there is nothing hostile in them. It does not move, since views
// point to it.
class JsonTree {
 public:
  JsonTree() = default;
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  // Where a value ends that begins here.
  static const uint8_t* Skip(const uint8_t* value) {
    const uint8_t fixed_bytes = *value < kFixedBytes.size() ? kFixedBytes[*value] : 1;
    return fixed_bytes != 0 ? value + fixed_bytes : SkipBytes(value);
  }
  // Takes a key and returns its name; `*at` is then the member's value.
  std::string_view TakeKey(const uint8_t** at) const;
  const uint8_t* Far(uint32_t position) const { return bytes_.data() + position; }
  const uint8_t* root() const { return bytes_.data() + root_; }
  // What it occupies, apart from the keys.
  size_t size_bytes() const { return bytes_.size(); }

 private:
  friend class JsonTreeBuilder;

  // Of near values by their tag, which this counts; 0: the value tells. Small numbers are not in it.
  static constexpr std::array<uint8_t, 13> kFixedBytes = {1, 1, 1, 2, 3, 5, 9, 9, 0, 0, 0, 0, 5};

  static const uint8_t* SkipBytes(const uint8_t* value);

  GrowingBytes bytes_;
  std::deque<std::string> keys_;  // whose addresses stay
  size_t root_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_TREE_H_
