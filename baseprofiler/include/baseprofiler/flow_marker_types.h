// Marker types with the id of a flow. The viewer leads from one marker of a flow to the next, across threads and
// processes. A terminating marker is the last of its flow.
#ifndef GECKOPROF_BASEPROFILER_FLOW_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_FLOW_MARKER_TYPES_H_

#include "baseprofiler/marker_schema.h"

namespace geckoprof::markers {

using MS = MarkerSchema;

struct FlowMarker : BaseMarkerType<FlowMarker> {
  static constexpr const char* Name = "FlowMarker";
  static constexpr MS::PayloadField PayloadFields[] = {{"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId}};
  static constexpr const char* AllLabels = "{marker.name} (flow={marker.data.flow})";
};

struct TerminatingFlowMarker : BaseMarkerType<TerminatingFlowMarker> {
  static constexpr const char* Name = "TerminatingFlowMarker";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"terminatingFlow", MS::InputType::Flow, "Terminating Flow", MS::Format::TerminatingFlowId}};
  static constexpr const char* AllLabels = "{marker.name} (terminatingFlow={marker.data.terminatingFlow})";
};

struct FlowStackMarker : BaseMarkerType<FlowStackMarker> {
  static constexpr const char* Name = "FlowStackMarker";
  static constexpr MS::PayloadField PayloadFields[] = {{"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId}};
  static constexpr const char* AllLabels = "{marker.name} (flow={marker.data.flow})";
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineOverview};
  static constexpr bool IsStackBased = true;
};

struct TerminatingFlowStackMarker : BaseMarkerType<TerminatingFlowStackMarker> {
  static constexpr const char* Name = "TerminatingFlowStackMarker";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"terminatingFlow", MS::InputType::Flow, "Terminating Flow", MS::Format::TerminatingFlowId}};
  static constexpr const char* AllLabels = "{marker.name} (terminatingFlow={marker.data.terminatingFlow})";
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineOverview};
  static constexpr bool IsStackBased = true;
};

struct FlowTextMarker : BaseMarkerType<FlowTextMarker> {
  static constexpr const char* Name = "FlowTextMarker";
  static constexpr MS::PayloadField PayloadFields[] = {{"name", MS::InputType::String, "Details"},
                                                       {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId}};
  static constexpr const char* AllLabels = "{marker.name} - {marker.data.name} (flow={marker.data.flow})";
};

struct TerminatingFlowTextMarker : BaseMarkerType<TerminatingFlowTextMarker> {
  static constexpr const char* Name = "TerminatingFlowTextMarker";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"name", MS::InputType::String, "Details"},
      {"terminatingFlow", MS::InputType::Flow, "Terminating Flow", MS::Format::TerminatingFlowId}};
  static constexpr const char* AllLabels =
      "{marker.name} - {marker.data.name} (terminatingFlow={marker.data.terminatingFlow})";
};

// A task that runs. Its flow began where the task was posted, and ends here.
struct Runnable : BaseMarkerType<Runnable> {
  static constexpr const char* Name = "Runnable";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"name", MS::InputType::String, "Runnable"},
      {"runnable", MS::InputType::Flow, "Flow", MS::Format::TerminatingFlowId}};
  static constexpr const char* ChartLabel = "{marker.data.name}";
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.name}";
};

}  // namespace geckoprof::markers

#endif  // GECKOPROF_BASEPROFILER_FLOW_MARKER_TYPES_H_
