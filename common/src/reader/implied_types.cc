#include "implied_types.h"

#include <string>
#include <utility>

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

}  // namespace geckoprof
