// Marker types about threads, processors and memory.
#ifndef GECKOPROF_BASEPROFILER_SYSTEM_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_SYSTEM_MARKER_TYPES_H_

#include "baseprofiler/marker_schema.h"

namespace geckoprof::markers {

using MS = MarkerSchema;

struct NetIO : BaseMarkerType<NetIO> {
  static constexpr const char* Name = "NetIO";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"read", MS::InputType::Uint64, "Read", MS::Format::Bytes},
      {"written", MS::InputType::Uint64, "Written", MS::Format::Bytes}};
};

struct CPUSpeed : BaseMarkerType<CPUSpeed> {
  static constexpr const char* Name = "CPUSpeed";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"speed", MS::InputType::Double, "CPU Speed (GHz)", MS::Format::Decimal}};
  static constexpr MS::Graph Graphs[] = {{"speed", MS::GraphType::Bar, MS::GraphColor::Ink}};
  static constexpr const char* TableLabel = "{marker.name} Speed = {marker.data.speed}GHz";
};

// Two markers are the halves of an interval. The first has the processor on which a thread wakes up. The second has the
// CPU time that the thread used.
struct Awake : BaseMarkerType<Awake> {
  static constexpr const char* Name = "Awake";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"CPU Time", MS::InputType::TimeDuration, nullptr, MS::Format::Duration, MS::PayloadFlags::Optional},
      {"CPU Id", MS::InputType::Int64, nullptr, MS::Format::Integer, MS::PayloadFlags::Optional},
      {"OS priority", MS::InputType::Int64, nullptr, MS::Format::Integer, MS::PayloadFlags::Optional}};
  static constexpr const char* TableLabel = "Awake - CPU Id = {marker.data.CPU Id}";
};

struct WakeUpCount : BaseMarkerType<WakeUpCount> {
  static constexpr const char* Name = "WakeUpCount";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"Count", MS::InputType::Uint64, nullptr, MS::Format::Integer},
      {"label", MS::InputType::CString, nullptr, MS::Format::String, MS::PayloadFlags::Hidden}};
  static constexpr const char* TooltipLabel = "{marker.name} - {marker.data.label}";
  static constexpr const char* TableLabel = "{marker.data.label}: {marker.data.Count}";
};

// Threads that the program does not record.
struct UnregisteredThreadLifetime : BaseMarkerType<UnregisteredThreadLifetime> {
  static constexpr const char* Name = "UnregisteredThreadLifetime";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"Thread Id", MS::InputType::Int64, nullptr, MS::Format::Tid},
      {"Thread Name", MS::InputType::CString},
      {"End Event", MS::InputType::CString, nullptr, MS::Format::String, MS::PayloadFlags::Optional}};
  static constexpr const char* ChartLabel = "{marker.data.Thread Name} (tid {marker.data.Thread Id})";
  static constexpr const char* TableLabel = "{marker.name} for {marker.data.Thread Name} ({marker.data.Thread Id})";
};

struct UnregisteredThreadCPU : BaseMarkerType<UnregisteredThreadCPU> {
  static constexpr const char* Name = "UnregisteredThreadCPU";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"Thread Id", MS::InputType::Int64, nullptr, MS::Format::Tid},
      {"CPU Time", MS::InputType::TimeDuration, nullptr, MS::Format::Duration},
      {"CPU Utilization", MS::InputType::Double, nullptr, MS::Format::Percentage}};
  static constexpr MS::Graph Graphs[] = {{"CPU Utilization", MS::GraphType::Bar, MS::GraphColor::Grey}};
  static constexpr const char* TableLabel = "{marker.name} - Activity: {marker.data.CPU Utilization}";
};

// A sampled allocation, with MarkerStack::Capture(). A negative size means that memory was freed. In Gecko's format,
// the viewer uses such markers for its allocation views. Either all of them have an address and a thread, or none.
struct NativeAllocation : BaseMarkerType<NativeAllocation> {
  static constexpr const char* Name = "Native allocation";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"size", MS::InputType::Int64, "Size", MS::Format::Bytes},
      {"memoryAddress", MS::InputType::Uint64, "Address", MS::Format::Hexadecimal, MS::PayloadFlags::Optional},
      {"threadId", MS::InputType::Int64, "Thread", MS::Format::Tid, MS::PayloadFlags::Optional}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineMemory};
};

}  // namespace geckoprof::markers

#endif  // GECKOPROF_BASEPROFILER_SYSTEM_MARKER_TYPES_H_
