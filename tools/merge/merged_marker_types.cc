#include "tools/merge/merged_marker_types.h"

#include <algorithm>
#include <utility>

#include "geckoprof/reader/marker_formats.h"
#include "tools/json/json_copy.h"
#include "tools/profile/marker_data_loader.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool HasStrings(const MarkerTypeRow& type) {
  return std::ranges::any_of(type.fields,
                             [](const MarkerTypeField& field) { return IsStringIndexFormat(field.format); });
}

}  // namespace

std::string MergedMarkerTypes::UnusedName(std::string_view name) const {
  std::string unused(name);
  for (int number = 2; names_.contains(unused); ++number) unused = Concat(name, " (", number, ")");
  return unused;
}

MergedMarkerTypes::Types MergedMarkerTypes::Add(JsonView schemas) {
  Types types;
  for (size_t i = 0; i < schemas.size(); ++i) {
    const JsonView json = schemas.At(i);
    MarkerTypeRow declared = ReadMarkerType(json);
    if (declared.name.empty() || types.contains(declared.name)) continue;  // the first one counts, as in the viewer
    std::string text = JsonText(json);
    std::vector<size_t>& same_name = rows_[declared.name];
    const auto known = std::ranges::find_if(same_name, [&](size_t row) { return schemas_[row].text == text; });
    size_t row = schemas_.size();
    if (known != same_name.end()) {
      row = *known;
    } else {
      schemas_.push_back({json, std::move(text), UnusedName(declared.name), HasStrings(declared)});
      names_.insert(schemas_.back().name);
      same_name.push_back(row);
    }
    std::string name = declared.name;
    types.emplace(std::move(name), Type{std::move(declared), schemas_[row].name});
  }
  return types;
}

std::string MergedMarkerTypes::NameOfUndeclared(std::string_view type) const {
  const auto schema = std::ranges::find(schemas_, type, &Schema::name);
  return schema != schemas_.end() && schema->has_strings ? UnusedName(type) : std::string(type);
}

void MergedMarkerTypes::Write(JsonWriter& writer) const {
  for (const Schema& schema : schemas_) {
    writer.StartObject();
    schema.json.ForEachMember([&](std::string_view key, JsonView value) {
      writer.Key(key);
      if (key == "name") return writer.String(schema.name);
      CopyJson(value, writer);
    });
    writer.EndObject();
  }
}

}  // namespace geckoprof
