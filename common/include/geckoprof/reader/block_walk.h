#ifndef GECKOPROF_READER_BLOCK_WALK_H_
#define GECKOPROF_READER_BLOCK_WALK_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/segment/leb128.h"

namespace geckoprof {

// Calls visit(entry) for each block of a chunk's bytes, in order, until it returns false. Returns true if every byte
// belonged to a block and every entry was accepted. Otherwise the chunk is damaged from there on.
template <typename Visit>
bool ForEachEntry(std::span<const uint8_t> bytes, const Visit& visit) {
  while (!bytes.empty()) {
    Leb128Reader reader(bytes);
    const std::span<const uint8_t> entry = reader.Bytes(reader.Uleb());
    if (!reader.ok() || entry.empty() || !visit(entry)) return false;
    bytes = bytes.last(reader.remaining());
  }
  return true;
}

// Reads a text field, which is a length and bytes.
inline std::string_view ReadText(Leb128Reader& reader) {
  const std::span<const uint8_t> bytes = reader.Bytes(reader.Uleb());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads a number in the machine's byte order and its own width.
template <typename Number>
Number ReadFixed(Leb128Reader& reader) {
  Number value = {};
  const std::span<const uint8_t> bytes = reader.Bytes(sizeof value);
  if (bytes.size() == sizeof value) __builtin_memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_BLOCK_WALK_H_
