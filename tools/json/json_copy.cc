#include "tools/json/json_copy.h"

#include <optional>

namespace geckoprof {

namespace {

// `edit` is null where the strings stay.
void Copy(JsonView value, std::string_view key, const JsonTextEdit* edit, JsonWriter& writer) {
  if (value.IsObject()) {
    writer.StartObject();
    value.ForEachMember([&](std::string_view name, JsonView member) {
      writer.Key(name);
      Copy(member, name, edit, writer);
    });
    return writer.EndObject();
  }
  if (value.IsArray()) {
    writer.StartArray();
    for (size_t i = 0; i < value.size(); ++i) Copy(value.At(i), key, edit, writer);
    return writer.EndArray();
  }
  if (value.IsString()) return writer.String(edit != nullptr ? (*edit)(key, value.AsString()) : value.AsString());
  if (value.IsBool()) return writer.Bool(value.IsTrue());
  if (!value.IsNumber()) return writer.Null();
  if (const std::optional<int64_t> integer = value.AsInteger()) return writer.Int(*integer);
  writer.Double(value.NumberOr(0));
}

}  // namespace

void CopyJson(JsonView value, JsonWriter& writer) { Copy(value, "", nullptr, writer); }

void CopyJsonEdited(JsonView value, const JsonTextEdit& edit, JsonWriter& writer) { Copy(value, "", &edit, writer); }

std::string JsonText(JsonView value) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  CopyJson(value, writer);
  (void)writer.Finish();  // a string has room, and what was read is whole
  return text;
}

}  // namespace geckoprof
