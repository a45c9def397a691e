#include "payload_reader.h"

#include <algorithm>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/block_walk.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/reader/tagged_value.h"
#include "recorded_times.h"

namespace geckoprof {
namespace {

// Firefox writes ids of flows as hexadecimal numbers without leading zeros.
std::string FlowText(uint64_t id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[id & 15]);
    id >>= 4;
  } while (id != 0);
  return text;
}

// Takes the parts of a value that is only checked.
struct Discard {
  void Null() {}
  void Bool(bool) {}
  void Int(int64_t) {}
  void Uint(uint64_t) {}
  void Double(double) {}
  void String(std::string_view) {}
  void Key(std::string_view) {}
  void StartArray() {}
  void EndArray() {}
  void StartObject() {}
  void EndObject() {}
};

}  // namespace

int64_t PayloadReader::ToNs(uint64_t time) const {
  if ((time & kTimeIsCycles) == 0) return PlausibleTime(time);
  return cycles_.known() ? PlausibleTime(cycles_.ToNs(time & ~kTimeIsCycles)) : 0;
}

bool PayloadReader::Read(std::span<const MarkerSites::Field> fields, Leb128Reader& reader,
                         std::vector<MarkerField>& out) {
  for (const MarkerSites::Field& field : fields) {
    if ((field.flags & kMarkerFieldOptional) != 0 && reader.Byte() == 0) {
      if (!reader.ok()) return false;
      continue;
    }
    if (!ReadField(field, reader, out)) return false;
  }
  return true;
}

bool PayloadReader::ReadField(const MarkerSites::Field& field, Leb128Reader& reader, std::vector<MarkerField>& out) {
  MarkerField value;
  value.key = field.key;
  switch (field.wire) {
    case MarkerFieldWire::kInt64:
      value.kind = MarkerFieldKind::kInteger;
      value.integer = ReadFixed<int64_t>(reader);
      break;
    case MarkerFieldWire::kUint64:
      value.kind = MarkerFieldKind::kUnsigned;
      value.integer = static_cast<int64_t>(ReadFixed<uint64_t>(reader));
      break;
    case MarkerFieldWire::kDouble:
      value.kind = MarkerFieldKind::kNumber;
      value.number = ReadFixed<double>(reader);
      break;
    case MarkerFieldWire::kBool:
      value.kind = MarkerFieldKind::kBool;
      value.integer = reader.Byte() != 0 ? 1 : 0;
      break;
    case MarkerFieldWire::kString:
      value.text = tables_.Text(ReadText(reader));
      break;
    case MarkerFieldWire::kTime:
      ReadTime(reader, value);
      break;
    case MarkerFieldWire::kNs:
      value.integer = ReadFixed<int64_t>(reader);
      value.kind = value.integer == INT64_MIN ? MarkerFieldKind::kNull : MarkerFieldKind::kNs;
      break;
    case MarkerFieldWire::kFlow:
      value = FlowField(field.key, ReadFixed<uint64_t>(reader));
      break;
    case MarkerFieldWire::kValue:
      if ((field.flags & kMarkerFieldSpread) != 0) return ReadSpread(reader, out);
      if (!ReadTagged(reader, value)) return false;
      break;
  }
  if (!reader.ok()) return false;
  out.push_back(value);
  return true;
}

void PayloadReader::ReadTime(Leb128Reader& reader, MarkerField& field) const {
  const auto time = ReadFixed<uint64_t>(reader);
  field.kind = time == 0 ? MarkerFieldKind::kNull : MarkerFieldKind::kTime;
  field.integer = ToNs(time);
}

MarkerField PayloadReader::FlowField(int32_t key, uint64_t id) const {
  MarkerField field;
  field.key = key;
  field.text = tables_.Text(FlowText(id));
  return field;
}

bool PayloadReader::ReadSpread(Leb128Reader& reader, std::vector<MarkerField>& out) {
  if (reader.Byte() != static_cast<uint8_t>(MarkerValueTag::kObject)) return false;
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) {
    const std::string_view key = ReadText(reader);
    MarkerField field;
    if (!IsReservedMarkerKey(key)) field.key = tables_.String(key);
    if (!ReadTagged(reader, field)) return false;
    AddOnce(field, out);
  }
  return reader.ok();
}

void PayloadReader::AddOnce(const MarkerField& field, std::vector<MarkerField>& out) {
  const auto same =
      std::find_if(out.begin(), out.end(), [&](const MarkerField& other) { return other.key == field.key; });
  if (field.key == kNone || same != out.end()) ++lost_fields_;
  if (field.key == kNone) return;
  if (same == out.end()) {
    out.push_back(field);
  } else {
    *same = field;
  }
}

bool PayloadReader::ReadTagged(Leb128Reader& reader, MarkerField& field) {
  Leb128Reader value = reader;
  switch (static_cast<MarkerValueTag>(value.Byte())) {
    case MarkerValueTag::kString:
      field.text = tables_.Text(ReadText(value));
      break;
    case MarkerValueTag::kTime:
      ReadTime(value, field);
      break;
    case MarkerValueTag::kNull:
      field.kind = MarkerFieldKind::kNull;
      break;
    case MarkerValueTag::kFalse:
    case MarkerValueTag::kTrue:
      field.kind = MarkerFieldKind::kBool;
      field.integer = static_cast<MarkerValueTag>(reader.Byte()) == MarkerValueTag::kTrue ? 1 : 0;
      return reader.ok();
    case MarkerValueTag::kInt:
      field.kind = MarkerFieldKind::kInteger;
      field.integer = value.Zigzag();
      break;
    case MarkerValueTag::kUint:
      field.kind = MarkerFieldKind::kUnsigned;
      field.integer = static_cast<int64_t>(value.Uleb());
      break;
    case MarkerValueTag::kDouble:
      field.kind = MarkerFieldKind::kNumber;
      field.number = ReadFixed<double>(value);
      break;
    case MarkerValueTag::kArray:
    case MarkerValueTag::kObject:
      return ReadListOrObject(reader, field);
    default:
      return false;
  }
  reader = value;
  return reader.ok();
}

// The bytes are kept as they are. The writer of each format walks them.
bool PayloadReader::ReadListOrObject(Leb128Reader& reader, MarkerField& field) {
  Leb128Reader rest = reader;
  Discard nothing;
  if (!WalkTaggedValue(rest, nothing)) return false;
  field.kind = MarkerFieldKind::kTagged;
  field.text = tables_.Bytes(reader.Bytes(reader.remaining() - rest.remaining()));
  return true;
}

}  // namespace geckoprof
