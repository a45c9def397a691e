#include "geckoprof/streaming/marker_field_writer.h"

#include <algorithm>

namespace geckoprof {

bool IsReservedMarkerKey(std::string_view key) {
  return key.empty() || key == "type" || key == "stack" || key == "cause";
}

bool IsInStringTable(const MarkerTypeRow& type, std::string_view key) {
  return std::any_of(type.fields.begin(), type.fields.end(), [key](const MarkerTypeField& declared) {
    return declared.key == key && (declared.format == "unique-string" || declared.format == "flow-id" ||
                                   declared.format == "terminating-flow-id");
  });
}

std::string_view TableText(const MarkerField& field, std::string_view text, int64_t zero_ns, std::string* room) {
  if (field.kind == MarkerFieldKind::kText) return text;
  room->clear();
  JsonWriter writer(StringSink(room));
  WriteMarkerFieldValue(field, text, zero_ns, writer);
  return writer.Finish() ? std::string_view(*room) : std::string_view();
}

void WriteMarkerFieldValue(const MarkerField& field, std::string_view text, int64_t zero_ns, JsonWriter& writer) {
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
    case MarkerFieldKind::kJson:
      return text.empty() ? writer.Null() : writer.Splice(text);
  }
}

}  // namespace geckoprof
