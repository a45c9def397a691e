#include "geckoprof/gecko_json/marker_field_writer.h"

#include "geckoprof/reader/marker_formats.h"
#include "geckoprof/reader/tagged_value.h"

namespace geckoprof {
namespace {

void WriteValue(const MarkerField& field, std::string_view text, int64_t zero_ns, JsonWriter& writer) {
  switch (field.kind) {
    case MarkerFieldKind::kText:
      return writer.String(text);
    case MarkerFieldKind::kNumber:
      return writer.Double(field.number);
    case MarkerFieldKind::kInteger:
      return writer.Int(field.integer);
    case MarkerFieldKind::kUnsigned:
      return writer.Uint(static_cast<uint64_t>(field.integer));
    case MarkerFieldKind::kBool:
      return writer.Bool(field.integer != 0);
    case MarkerFieldKind::kTime:
      return writer.TimeMs(field.integer - zero_ns);
    case MarkerFieldKind::kNs:
      return writer.TimeMs(field.integer);
    case MarkerFieldKind::kNull:
      return writer.Null();
    case MarkerFieldKind::kTagged: {
      Leb128Reader reader({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      WalkTaggedValue(reader, writer);  // the reader of the segment has seen that it is whole
      return;
    }
  }
}

bool ShowsOneValue(const MarkerTypeRow& type, std::string_view key) {
  const MarkerTypeField* const declared = type.FindField(key);
  return declared != nullptr && !declared->format.empty() && declared->format != "list" &&
         !declared->format.starts_with("table");
}

}  // namespace

bool IsInStringTable(const MarkerTypeRow& type, std::string_view key) {
  const MarkerTypeField* const declared = type.FindField(key);
  return declared != nullptr && IsStringIndexFormat(declared->format);
}

std::string_view TableText(const MarkerField& field, std::string_view text, int64_t zero_ns, std::string* room) {
  if (field.kind == MarkerFieldKind::kText) return text;
  room->clear();
  JsonWriter writer(StringSink(room));
  WriteValue(field, text, zero_ns, writer);
  return writer.Finish() ? std::string_view(*room) : std::string_view();
}

void WriteMarkerFieldValue(const MarkerField& field, std::string_view text, const MarkerTypeRow& type,
                           std::string_view key, int64_t zero_ns, JsonWriter& writer) {
  if (field.kind == MarkerFieldKind::kTagged && ShowsOneValue(type, key)) {
    std::string json;
    return writer.String(TableText(field, text, zero_ns, &json));
  }
  WriteValue(field, text, zero_ns, writer);
}

}  // namespace geckoprof
