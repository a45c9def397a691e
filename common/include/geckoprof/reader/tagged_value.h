// A tagged value is a MarkerValueTag and the bytes that belong to it (entry_format.h). Payloads of markers have them.
#ifndef GECKOPROF_READER_TAGGED_VALUE_H_
#define GECKOPROF_READER_TAGGED_VALUE_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/segment/leb128.h"

namespace geckoprof {

// Takes one value off `reader` and calls `out` for each part of it in order. `out` has the functions of JsonWriter that
// write values. Returns false if the bytes make no sense or if lists lie too deep in one another. Then `out` has been
// called for the parts before the fault.
template <typename Out>
bool WalkTaggedValue(Leb128Reader& reader, Out& out, int depth = 0) {
  constexpr int kDeepest = 32;
  const auto read_fixed = [&reader](auto value) {
    const std::span<const uint8_t> bytes = reader.Bytes(sizeof value);
    if (bytes.size() == sizeof value) __builtin_memcpy(&value, bytes.data(), sizeof value);
    return value;
  };
  const auto read_text = [&reader] {
    const std::span<const uint8_t> bytes = reader.Bytes(reader.Uleb());
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto tag = static_cast<MarkerValueTag>(reader.Byte());
  if (!reader.ok() || depth > kDeepest) return false;
  switch (tag) {
    case MarkerValueTag::kTime:
      read_fixed(uint64_t{0});
      [[fallthrough]];
    case MarkerValueTag::kNull:
      out.Null();
      return reader.ok();
    case MarkerValueTag::kFalse:
    case MarkerValueTag::kTrue:
      out.Bool(tag == MarkerValueTag::kTrue);
      return true;
    case MarkerValueTag::kInt:
      out.Int(reader.Zigzag());
      return reader.ok();
    case MarkerValueTag::kUint:
      out.Uint(reader.Uleb());
      return reader.ok();
    case MarkerValueTag::kDouble:
      out.Double(read_fixed(0.0));
      return reader.ok();
    case MarkerValueTag::kString:
      out.String(read_text());
      return reader.ok();
    case MarkerValueTag::kArray:
      out.StartArray();
      for (uint64_t left = reader.Uleb(); left > 0; --left) {
        if (!WalkTaggedValue(reader, out, depth + 1)) return false;
      }
      out.EndArray();
      return reader.ok();
    case MarkerValueTag::kObject:
      out.StartObject();
      for (uint64_t left = reader.Uleb(); left > 0; --left) {
        out.Key(read_text());
        if (!WalkTaggedValue(reader, out, depth + 1)) return false;
      }
      out.EndObject();
      return reader.ok();
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_TAGGED_VALUE_H_
