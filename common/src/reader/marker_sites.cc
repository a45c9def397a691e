#include "marker_sites.h"

#include <string>
#include <utility>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/reader/block_walk.h"

namespace geckoprof {

namespace {

struct FlowWords {
  const char* type;
  const char* description;
  const char* key;         // in the types above
  const char* option_key;  // in others, which may have a `key` of their own
  const char* label;
  const char* format;
  const char* all_labels;
};
constexpr FlowWords kFlowWords[] = {
    {"FlowMarker", "A marker of a flow", "flow", "markerFlow", "Flow", "flow-id",
     "{marker.name} (flow={marker.data.flow})"},
    {"TerminatingFlowMarker", "The marker that a flow ends with", "terminatingFlow", "markerTerminatingFlow",
     "Terminating Flow", "terminating-flow-id", "{marker.name} (terminatingFlow={marker.data.terminatingFlow})"},
};

MarkerTypeRow MakeType(const char* name, const char* description) {
  MarkerTypeRow type;
  type.name = name;
  type.description = description;
  type.display = {"marker-chart", "marker-table"};
  return type;
}

}  // namespace

int32_t ImpliedTypes::Add(MarkerTypeRow type) {
  types_.push_back(std::move(type));
  return static_cast<int32_t>(types_.size() - 1);
}

int32_t ImpliedTypes::StackOnly() {
  if (stack_only_ == kNone) stack_only_ = Add(MakeType("NoPayloadUserData", "A marker without a payload"));
  return stack_only_;
}

int32_t ImpliedTypes::FlowOnly(bool ends) {
  int32_t& row = flow_[ends ? 1 : 0];
  if (row != kNone) return row;
  const FlowWords& words = kFlowWords[ends ? 1 : 0];
  MarkerTypeRow type = MakeType(words.type, words.description);
  type.chart_label = type.tooltip_label = type.table_label = words.all_labels;
  type.fields.push_back({words.key, words.label, words.format, false});
  return row = Add(std::move(type));
}

void ImpliedTypes::AddFlowField(bool ends, int32_t type) {
  std::vector<bool>& known = has_flow_field_[ends ? 1 : 0];
  known.resize(types_.size());
  if (known[static_cast<size_t>(type)]) return;
  known[static_cast<size_t>(type)] = true;
  const FlowWords& words = kFlowWords[ends ? 1 : 0];
  types_[static_cast<size_t>(type)].fields.push_back({words.option_key, words.label, words.format, false});
}

std::string_view ImpliedTypes::Flow(bool ends, int32_t& type) {
  const FlowWords& words = kFlowWords[ends ? 1 : 0];
  if (type == kNone) {
    type = FlowOnly(ends);
    return words.key;
  }
  AddFlowField(ends, type);
  return words.option_key;
}

bool MarkerSites::ReadType(Leb128Reader& reader) {
  const uint64_t id = MixBits(reader.Uleb());
  const uint64_t flags = reader.Uleb();
  MarkerTypeRow type;
  type.is_stack_based = (flags & kMarkerTypeStackBased) != 0;
  type.has_schema = (flags & kMarkerTypeNoSchema) == 0;
  for (std::string* text :
       {&type.name, &type.description, &type.chart_label, &type.tooltip_label, &type.table_label, &type.color_field}) {
    *text = ReadText(reader);
  }
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) type.display.emplace_back(ReadText(reader));
  std::vector<Field> fields;
  bool readable = !type.name.empty();
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) {
    MarkerTypeField declared;
    declared.key = ReadText(reader);
    declared.label = ReadText(reader);
    declared.format = ReadText(reader);
    const uint64_t wire = reader.Uleb();
    const uint64_t field_flags = reader.Uleb();
    if (wire > static_cast<uint64_t>(MarkerFieldWire::kValue)) readable = false;
    declared.hidden = (field_flags & kMarkerFieldHidden) != 0;
    if ((field_flags & kMarkerFieldInSchemaOnly) == 0) {
      fields.push_back({tables_.String(declared.key), static_cast<MarkerFieldWire>(wire), field_flags});
    }
    if (!declared.format.empty()) type.fields.push_back(std::move(declared));
  }
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) {
    const std::string_view label = ReadText(reader);
    type.notes.push_back({std::string(label), std::string(ReadText(reader))});
  }
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) {
    MarkerTypeGraph graph;
    graph.key = ReadText(reader);
    graph.type = ReadText(reader);
    graph.color = ReadText(reader);
    type.graphs.push_back(std::move(graph));
  }
  if (!reader.ok() || types_by_id_.Find(id) != kNone) return false;
  if (!readable) return true;
  types_by_id_.Insert(id, static_cast<int32_t>(types_.size()));
  types_.push_back({static_cast<int32_t>(profile_.marker_types.size()), fields_.size(), fields.size()});
  fields_.insert(fields_.end(), fields.begin(), fields.end());
  profile_.marker_types.push_back(std::move(type));
  return true;
}

bool MarkerSites::ReadSite(Leb128Reader& reader) {
  const uint64_t id = MixBits(reader.Uleb());
  const uint64_t pair = reader.Uleb();
  const uint64_t type_id = reader.Uleb();
  const bool has_name = reader.Uleb() != 0;
  const std::string_view name = ReadText(reader);
  if (!reader.ok() || sites_by_id_.Find(id) != kNone) return false;
  Site site;
  if (has_name) site.name = tables_.String(name);
  site.category_pair = pair;
  if (type_id != 0) {
    const int32_t at = types_by_id_.Find(MixBits(type_id));
    if (at == kNone) return true;
    const Type& type = types_[static_cast<size_t>(at)];
    site.type = type.row;
    site.first_field = type.first_field;
    site.field_count = type.field_count;
  }
  sites_by_id_.Insert(id, static_cast<int32_t>(sites_.size()));
  sites_.push_back(site);
  return true;
}

const MarkerSites::Site* MarkerSites::Find(uint64_t id) const {
  const int32_t at = sites_by_id_.Find(MixBits(id));
  return at == kNone ? nullptr : &sites_[static_cast<size_t>(at)];
}

}  // namespace geckoprof
