#include "tools/json/json_tree.h"

namespace geckoprof {

const uint8_t* JsonTree::SkipBytes(const uint8_t* value) {
  switch (static_cast<JsonTag>(*value)) {
    case JsonTag::kShortString:
      return value + 2 + value[1];
    case JsonTag::kLongString:
      return value + 5 + NumberAt<uint32_t>(value + 1);
    default:  // an array or an object
      return value + 3 + value[1];
  }
}

std::string_view JsonTree::TakeKey(const uint8_t** at) const {
  const uint8_t* byte = *at;
  size_t number = *byte & 0x7f;
  for (unsigned shift = 7; (*byte++ & 0x80) != 0; shift += 7) number |= size_t{*byte & 0x7fu} << shift;
  *at = byte;
  if (number != 0) return keys_[number - 1];
  *at = Skip(byte);
  const size_t header = static_cast<JsonTag>(*byte) == JsonTag::kShortString ? 2 : 5;
  return {reinterpret_cast<const char*>(byte) + header, static_cast<size_t>(*at - byte) - header};
}

}  // namespace geckoprof
