#include "tools/profile/marker_data_loader.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "geckoprof/reader/marker_formats.h"
#include "tools/json/json_copy.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// In the form of MarkerTypeField::format.
std::string ReadFormat(JsonView format) {
  if (!format.IsObject()) return std::string(format.IsString() ? format.AsString() : "string");
  std::string text(format["type"].AsString());
  const JsonView columns = format["columns"];
  for (size_t i = 0; i < columns.size(); ++i) {
    text += Concat("\x1e", columns.At(i)["label"].AsString(), "\x1f", columns.At(i)["type"].AsString());
  }
  return text;
}

}  // namespace

MarkerTypeRow ReadMarkerType(JsonView schema) {
  MarkerTypeRow type;
  type.name = schema["name"].AsString();
  type.description = schema["description"].AsString();
  type.chart_label = schema["chartLabel"].AsString();
  type.tooltip_label = schema["tooltipLabel"].AsString();
  type.table_label = schema["tableLabel"].AsString();
  type.color_field = schema["colorField"].AsString();
  type.is_stack_based = schema["isStackBased"].IsTrue();
  const JsonView display = schema["display"], graphs = schema["graphs"];
  for (size_t i = 0; i < display.size(); ++i) type.display.emplace_back(display.At(i).AsString());
  for (size_t i = 0; i < graphs.size(); ++i) {
    const JsonView graph = graphs.At(i);
    type.graphs.push_back({std::string(graph["key"].AsString()), std::string(graph["type"].AsString()),
                           std::string(graph["color"].AsString())});
  }
  const JsonView fields = schema["fields"].IsArray() ? schema["fields"] : schema["data"];
  for (size_t i = 0; i < fields.size(); ++i) {
    const JsonView field = fields.At(i);
    if (field["key"].IsString()) {
      type.fields.push_back({std::string(field["key"].AsString()), std::string(field["label"].AsString()),
                             ReadFormat(field["format"]), field["hidden"].IsTrue()});
    } else if (type.description.empty() || field["label"].AsString() == "Description") {
      type.description = field["value"].AsString();  // a fixed text, of versions before there were descriptions
    }
  }
  return type;
}

bool IsMarkerTime(std::string_view type, const MarkerTypeRow* declared, std::string_view key) {
  // Times that payloads without a schema have.
  if (key == "startTime" || key == "endTime") return true;
  constexpr std::string_view kNetworkKeys[] = {
      "domainLookupStart",     "domainLookupEnd", "connectStart",  "tcpConnectEnd", "connectEnd",
      "secureConnectionStart", "requestStart",    "responseStart", "responseEnd",   "fetchStart"};
  if (type == "Network" && std::ranges::find(kNetworkKeys, key) != std::end(kNetworkKeys)) return true;
  const MarkerTypeField* const field = declared == nullptr ? nullptr : declared->FindField(key);
  return field != nullptr && field->format == "time";
}

void MarkerDataLoader::ReadSchemas(JsonView schemas) {
  for (size_t i = 0; i < schemas.size(); ++i) {
    MarkerTypeRow read = ReadMarkerType(schemas.At(i));
    const int32_t type = builder_->Intern(read.name);
    if (read.name.empty() || !known_types_.insert(type).second) continue;
    for (const MarkerTypeField& field : read.fields) {
      if (IsStringIndexFormat(field.format)) index_fields_.insert({type, builder_->Intern(field.key)});
    }
    builder_->model().marker_schemas.push_back(std::move(read));
  }
}

absl::StatusOr<int32_t> MarkerDataLoader::Read(JsonView data, const JsonPath& path) {
  using Kind = ProfileMarkerField::Kind;
  if (!data.IsObject()) return kNoRow;
  ProfileModel& model = builder_->model();
  ProfileMarkerData row;
  if (data["type"].IsString()) row.type = builder_->Intern(data["type"].AsString());
  row.first_field = static_cast<uint32_t>(model.marker_fields.size());
  absl::Status status;
  data.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "type" || !status.ok()) return;
    if (key == "cause" || key == "stack") {
      // The processed format has the row itself, Gecko's a small thread with one sample: of that nothing is kept.
      if (!value["stack"].IsNumber()) return;
      const JsonPath cause_path = path / key;
      const absl::StatusOr<int32_t> stack = builder_->ReadStack(value["stack"], cause_path / "stack");
      if (stack.ok()) row.stack = *stack;
      status.Update(stack.status());
      return;
    }
    ProfileMarkerField field;
    field.key = builder_->Intern(key);
    if (value.IsNumber() && index_fields_.contains({row.type, field.key})) {
      const absl::StatusOr<int32_t> text = builder_->ReadString(value, path / key);
      status.Update(text.status());
      if (!text.ok()) return;
      field.text = *text;
      builder_->Count(model.Text(*text).size());  // each marker is written with the whole text
    } else if (value.IsString()) {
      field.text = builder_->Intern(value.AsString());
    } else if (value.IsNumber() && std::isfinite(value.NumberOr(0))) {
      field.kind = Kind::kNumber;
      field.number = value.NumberOr(0);
    } else if (value.IsBool()) {
      field.kind = Kind::kBool;
      field.number = value.IsTrue() ? 1 : 0;
    } else if (value.IsArray() || value.IsObject()) {
      field.kind = Kind::kJson;
      field.text = builder_->Intern(JsonText(value));
    } else {
      return;
    }
    builder_->Count(sizeof field);
    model.marker_fields.push_back(field);
    ++row.field_count;
  });
  status.Update(builder_->CountRows(1, sizeof row));
  if (!status.ok()) return status;
  if (model.marker_fields.size() > UINT32_MAX || model.marker_data.size() >= INT32_MAX) {
    return FaultAt(path, "too many rows");
  }
  model.marker_data.push_back(row);
  return static_cast<int32_t>(model.marker_data.size() - 1);
}

}  // namespace geckoprof
