#include "payload_reader.h"

#include <algorithm>

#include "block_walk.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/profile_facts.h"
#include "plausible_time.h"

namespace geckoprof {
namespace {

// As the original writes ids of flows: hexadecimal, no leading zeros.
std::string FlowText(uint64_t id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[id & 15]);
    id >>= 4;
  } while (id != 0);
  return text;
}

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
      value.text = tables_.String(ReadText(reader));
      break;
    case MarkerFieldWire::kTime:
      ReadTime(reader, value);
      break;
    case MarkerFieldWire::kNs:
      value.integer = ReadFixed<int64_t>(reader);
      value.kind = value.integer == INT64_MIN ? MarkerFieldKind::kJson : MarkerFieldKind::kNs;
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
  const bool is_nothing = value.kind == MarkerFieldKind::kJson && value.text == kNone;
  if (is_nothing) value.text = tables_.String("null");
  out.push_back(value);
  return true;
}

void PayloadReader::ReadTime(Leb128Reader& reader, MarkerField& field) const {
  const auto time = ReadFixed<uint64_t>(reader);
  field.kind = time == 0 ? MarkerFieldKind::kJson : MarkerFieldKind::kTime;
  field.integer = ToNs(time);
  if (time == 0) field.text = tables_.String("null");
}

MarkerField PayloadReader::FlowField(int32_t key, uint64_t id) const {
  MarkerField field;
  field.key = key;
  field.text = tables_.String(FlowText(id));
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
  Leb128Reader peek = reader;
  const auto tag = static_cast<MarkerValueTag>(peek.Byte());
  if (tag == MarkerValueTag::kString || tag == MarkerValueTag::kTime) {
    if (tag == MarkerValueTag::kTime) {
      ReadTime(peek, field);
    } else {
      field.text = tables_.String(ReadText(peek));
    }
    reader = peek;
    return reader.ok();
  }
  std::string json;
  JsonWriter writer(StringSink(&json));
  if (!WriteTagged(reader, writer, 0) || !writer.Finish()) return false;
  field.kind = MarkerFieldKind::kJson;
  field.text = tables_.String(json);
  return true;
}

bool PayloadReader::WriteTagged(Leb128Reader& reader, JsonWriter& writer, int depth) const {
  const auto tag = static_cast<MarkerValueTag>(reader.Byte());
  if (!reader.ok() || depth > kDeepest) return false;
  switch (tag) {
    case MarkerValueTag::kTime:
      ReadFixed<uint64_t>(reader);
      [[fallthrough]];
    case MarkerValueTag::kNull:
      writer.Null();
      return reader.ok();
    case MarkerValueTag::kFalse:
    case MarkerValueTag::kTrue:
      writer.Bool(tag == MarkerValueTag::kTrue);
      return true;
    case MarkerValueTag::kInt:
      writer.Int(reader.Zigzag());
      return reader.ok();
    case MarkerValueTag::kUint:
      writer.Uint(reader.Uleb());
      return reader.ok();
    case MarkerValueTag::kDouble:
      writer.Double(ReadFixed<double>(reader));
      return reader.ok();
    case MarkerValueTag::kString:
      writer.String(ReadText(reader));
      return reader.ok();
    case MarkerValueTag::kArray:
      writer.StartArray();
      for (uint64_t left = reader.Uleb(); left > 0; --left) {
        if (!WriteTagged(reader, writer, depth + 1)) return false;
      }
      writer.EndArray();
      return reader.ok();
    case MarkerValueTag::kObject:
      writer.StartObject();
      for (uint64_t left = reader.Uleb(); left > 0; --left) {
        writer.Key(ReadText(reader));
        if (!WriteTagged(reader, writer, depth + 1)) return false;
      }
      writer.EndObject();
      return reader.ok();
  }
  return false;
}

}  // namespace geckoprof
