#include "tools/json/json_copy.h"

#include <optional>

namespace geckoprof {

void CopyJson(JsonView value, JsonWriter& writer) {
  if (value.IsObject()) {
    writer.StartObject();
    value.ForEachMember([&](std::string_view name, JsonView member) {
      writer.Key(name);
      CopyJson(member, writer);
    });
    return writer.EndObject();
  }
  if (value.IsArray()) {
    writer.StartArray();
    for (size_t i = 0; i < value.size(); ++i) CopyJson(value.At(i), writer);
    return writer.EndArray();
  }
  if (value.IsString()) return writer.String(value.AsString());
  if (value.IsBool()) return writer.Bool(value.IsTrue());
  if (!value.IsNumber()) return writer.Null();
  if (const std::optional<int64_t> integer = value.AsInteger()) return writer.Int(*integer);
  writer.Double(value.NumberOr(0));
}

std::string JsonText(JsonView value) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  CopyJson(value, writer);
  (void)writer.Finish();  // a string has room, and what was read is whole
  return text;
}

}  // namespace geckoprof
