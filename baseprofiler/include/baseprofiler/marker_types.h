// Marker types for all programs. Their names, fields and labels are those of Firefox, so the viewer knows them.
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

using TextMarker = Text;  // The name in Firefox.

// These markers nest properly with the other markers of their thread.
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

// A timer that fired. The marker ends with the function that the timer ran.
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

// A time that the program measures from one point to another.
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

// A garbage collection, or a slice of an incremental one, that blocks the thread. The viewer's own types GCMinor,
// GCMajor and GCSlice need data of one script engine. The viewer refuses a file that has them without the data.
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
