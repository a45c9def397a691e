// Types of markers that are there for all: names, fields and labels as the original writes them, so that the viewer and
// its users find what they know.
#ifndef GECKOPROF_BASEPROFILER_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_MARKER_TYPES_H_

#include "baseprofiler/flow_marker_types.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/media_marker_types.h"
#include "baseprofiler/system_marker_types.h"

namespace geckoprof::markers {

using MS = MarkerSchema;

struct Text : BaseMarkerType<Text> {
  static constexpr const char* Name = "Text";
  static constexpr const char* Description = "A marker with a text";
  static constexpr MS::PayloadField PayloadFields[] = {{"name", MS::InputType::String, "Details"}};
  static constexpr const char* ChartLabel = "{marker.data.name}";
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.name}";
};

using TextMarker = Text;  // the original's name

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

// A line of a log.
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

struct Preference : BaseMarkerType<Preference> {
  static constexpr const char* Name = "Preference";
  static constexpr MS::PayloadField PayloadFields[] = {{"prefName", MS::InputType::CString, "Name"},
                                                       {"prefKind", MS::InputType::CString, "Kind"},
                                                       {"prefType", MS::InputType::CString, "Type"},
                                                       {"prefValue", MS::InputType::String, "Value"}};
  static constexpr const char* TableLabel = "{marker.data.prefName}: {marker.data.prefValue} ({marker.data.prefType})";
};

// One that fired; its end is that of what it ran.
struct Timer : BaseMarkerType<Timer> {
  static constexpr const char* Name = "Timer";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"delay", MS::InputType::Double, "Delay", MS::Format::Milliseconds},
      {"ttype", MS::InputType::CString, "Timer Type", MS::Format::UniqueString},
      {"canceled", MS::InputType::Boolean, "Canceled"}};
  static constexpr const char* ChartLabel = "{marker.data.canceled ? '❌ ' : ''}{marker.data.delay}";
  static constexpr const char* TableLabel = "{marker.data.canceled ? '❌ ' : ''}{marker.data.delay}";
};

struct AddRemoveTimer : BaseMarkerType<AddRemoveTimer> {
  static constexpr const char* Name = "AddRemoveTimer";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"name", MS::InputType::String, "Name"},
      {"delay", MS::InputType::Double, "Delay", MS::Format::Milliseconds},
      {"threadId", MS::InputType::Int64, nullptr, MS::Format::Tid, MS::PayloadFlags::Hidden}};
  static constexpr const char* TableLabel = "{marker.data.name} - {marker.data.delay}";
};

// What the program measures of itself, from one point of its own to another.
struct UserTiming : BaseMarkerType<UserTiming> {
  static constexpr const char* Name = "UserTiming";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"name", MS::InputType::String, "User Marker Name"},
      {"entryType", MS::InputType::CString, "Entry Type"},
      {"startMark", MS::InputType::String, "Start Mark", MS::Format::String, MS::PayloadFlags::Optional},
      {"endMark", MS::InputType::String, "End Mark", MS::Format::String, MS::PayloadFlags::Optional}};
  static constexpr const char* AllLabels = "{marker.data.name}";
};

struct MainThreadLongTask : BaseMarkerType<MainThreadLongTask> {
  static constexpr const char* Name = "MainThreadLongTask";
  static constexpr MS::PayloadField PayloadFields[] = {{"category", MS::InputType::CString, "Type"}};
};

// A garbage collection, or a slice of one that is done bit by bit: the thread is blocked during this time. (The
// viewer's own GCMinor, GCMajor and GCSlice want the innards of one script engine, and it refuses a file that has them
// without.)
struct Collection : BaseMarkerType<Collection> {
  static constexpr const char* Name = "Collection";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"reason", MS::InputType::CString, "Reason"},
      {"kind", MS::InputType::CString, "Kind", MS::Format::String, MS::PayloadFlags::Optional},
      {"freed", MS::InputType::Uint64, "Freed", MS::Format::Bytes, MS::PayloadFlags::Optional},
      {"heap", MS::InputType::Uint64, "Heap afterwards", MS::Format::Bytes, MS::PayloadFlags::Optional}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineMemory};
  static constexpr const char* ChartLabel = "{marker.data.reason}";
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.reason}";
  static constexpr bool IsStackBased = true;
};

struct CollectionSlice : BaseMarkerType<CollectionSlice> {
  static constexpr const char* Name = "CollectionSlice";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"reason", MS::InputType::CString, "Reason"},
      {"budget", MS::InputType::TimeDuration, "Budget", MS::Format::Duration, MS::PayloadFlags::Optional}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineMemory};
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.reason}";
};

}  // namespace geckoprof::markers

#endif  // GECKOPROF_BASEPROFILER_MARKER_TYPES_H_
