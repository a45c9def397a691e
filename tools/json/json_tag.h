// How JsonTree keeps values: bytes that begin with a tag. A profile is tables of numbers, for which a DOM of a fixed
// size a value needs four times the file; this needs about half of it.
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
#ifndef GECKOPROF_TOOLS_JSON_JSON_TAG_H_
#define GECKOPROF_TOOLS_JSON_JSON_TAG_H_

#include <cstdint>

namespace geckoprof {

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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_TAG_H_
