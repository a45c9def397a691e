// Types of markers that are there for all: names, fields and labels as the original writes them, so that the viewer and
// its users find what they know.
#ifndef GECKOPROF_BASEPROFILER_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_MARKER_TYPES_H_

#include "baseprofiler/marker_schema.h"

namespace geckoprof::markers {

using MS = MarkerSchema;

struct Text : BaseMarkerType<Text> {
  static constexpr const char* Name = "Text";
  static constexpr const char* Description = "A marker with a text";
  static constexpr MS::PayloadField PayloadFields[] = {{"name", MS::InputType::String, "Details"}};
  static constexpr const char* ChartLabel = "{marker.data.name}";
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.name}";
};

// Nests properly with the other markers of its thread.
struct TextStack : BaseMarkerType<TextStack> {
  static constexpr const char* Name = "TextStack";
  static constexpr MS::PayloadField PayloadFields[] = {{"name", MS::InputType::String, "Details"}};
  static constexpr const char* ChartLabel = "{marker.data.name}";
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.name}";
  static constexpr bool IsStackBased = true;
};

struct StackMarker : BaseMarkerType<StackMarker> {
  static constexpr const char* Name = "StackMarker";
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineOverview};
  static constexpr bool IsStackBased = true;
};

struct Tracing : BaseMarkerType<Tracing> {
  static constexpr const char* Name = "tracing";
  static constexpr MS::PayloadField PayloadFields[] = {{"category", MS::InputType::CString, "Type"}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineOverview};
};

// The viewer has a view of its own for the console (level: 1 error to 5 verbose).
struct Log : BaseMarkerType<Log> {
  static constexpr const char* Name = "Log";
  static constexpr MS::PayloadField PayloadFields[] = {{"module", MS::InputType::CString, "Module"},
                                                       {"name", MS::InputType::String, "Name"}};
  static constexpr const char* TableLabel = "({marker.data.module}) {marker.data.name}";
};

struct FileIO : BaseMarkerType<FileIO> {
  static constexpr const char* Name = "FileIO";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"operation", MS::InputType::CString, "Operation"},
      {"source", MS::InputType::CString, "Source"},
      {"filename", MS::InputType::CString, "Filename", MS::Format::FilePath, MS::PayloadFlags::Optional},
      {"threadId", MS::InputType::Int64, "Thread ID", MS::Format::Tid,
       MS::PayloadFlags::Optional | MS::PayloadFlags::Hidden}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineFileIO};
  static constexpr const char* ChartLabel = "{marker.data.source}";
  static constexpr const char* TooltipLabel = "FileIO — {marker.data.source}";
  static constexpr const char* TableLabel = "{marker.data.source} — {marker.data.filename}";
};

struct MediaSample : BaseMarkerType<MediaSample> {
  static constexpr const char* Name = "MediaSample";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"sampleStartTimeUs", MS::InputType::Int64, "Sample start time", MS::Format::Microseconds},
      {"sampleEndTimeUs", MS::InputType::Int64, "Sample end time", MS::Format::Microseconds},
      {"queueLength", MS::InputType::Int64, "Queue length", MS::Format::Integer}};
};

struct VideoFallingBehind : BaseMarkerType<VideoFallingBehind> {
  static constexpr const char* Name = "VideoFallingBehind";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"videoFrameStartTimeUs", MS::InputType::Int64, "Video frame start time", MS::Format::Microseconds},
      {"mediaCurrentTimeUs", MS::InputType::Int64, "Media current time", MS::Format::Microseconds}};
};

struct Preference : BaseMarkerType<Preference> {
  static constexpr const char* Name = "Preference";
  static constexpr MS::PayloadField PayloadFields[] = {{"prefName", MS::InputType::CString, "Name"},
                                                       {"prefKind", MS::InputType::CString, "Kind"},
                                                       {"prefType", MS::InputType::CString, "Type"},
                                                       {"prefValue", MS::InputType::String, "Value"}};
  static constexpr const char* TableLabel = "{marker.data.prefName}: {marker.data.prefValue} ({marker.data.prefType})";
};

struct Timer : BaseMarkerType<Timer> {
  static constexpr const char* Name = "Timer";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"delay", MS::InputType::Double, "Delay", MS::Format::Milliseconds},
      {"ttype", MS::InputType::CString, "Timer Type", MS::Format::UniqueString},
      {"canceled", MS::InputType::Boolean, "Canceled"}};
  static constexpr const char* AllLabels = "{marker.data.delay}";
};

struct GCSlice : BaseMarkerType<GCSlice> {
  static constexpr const char* Name = "GCSlice";
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineMemory};
  static constexpr MS::Note Notes[] = {
      {"Description", "One slice of an incremental garbage collection (GC). The thread is blocked during this time."}};
};

struct NetIO : BaseMarkerType<NetIO> {
  static constexpr const char* Name = "NetIO";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"read", MS::InputType::Uint64, "Read", MS::Format::Bytes},
      {"written", MS::InputType::Uint64, "Written", MS::Format::Bytes}};
};

struct CPUSpeed : BaseMarkerType<CPUSpeed> {
  static constexpr const char* Name = "CPUSpeed";
  static constexpr MS::PayloadField PayloadFields[] = {{"speed", MS::InputType::Double, "CPU Speed (GHz)"}};
  static constexpr MS::Graph Graphs[] = {{"speed", MS::GraphType::Bar, MS::GraphColor::Ink}};
  static constexpr const char* TableLabel = "{marker.name} Speed = {marker.data.speed}GHz";
};

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

}  // namespace geckoprof::markers

#endif  // GECKOPROF_BASEPROFILER_MARKER_TYPES_H_
