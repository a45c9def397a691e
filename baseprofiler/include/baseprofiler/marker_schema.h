// How a type of marker says what its fields are and how the viewer shows them. Names follow the original's
// (BaseProfilerMarkersPrerequisites).
//
//   struct Load : geckoprof::BaseMarkerType<Load> {
//     static constexpr const char* Name = "Load";
//     static constexpr const char* Description = "A file was read";
//     using MS = geckoprof::MarkerSchema;
//     static constexpr MS::PayloadField PayloadFields[] = {
//         {"path", MS::InputType::CString, "Path", MS::Format::FilePath},
//         {"bytes", MS::InputType::Uint64, "Size", MS::Format::Bytes},
//     };
//     static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable};
//     static constexpr const char* TableLabel = "{marker.data.path}";
//   };
//
// Of these only Name must be there. More: ChartLabel, TooltipLabel, TableLabel, AllLabels, ColorField (a key), Notes
// (MS::Note[]), Graphs (MS::Graph[]), IsStackBased (bool: markers of a thread nest properly).
#ifndef GECKOPROF_BASEPROFILER_MARKER_SCHEMA_H_
#define GECKOPROF_BASEPROFILER_MARKER_SCHEMA_H_

#include <cstddef>
#include <cstdint>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

struct MarkerSchema {
  enum class Location : uint8_t {
    MarkerChart,
    MarkerTable,
    TimelineOverview,  // in the header of threads that the viewer takes for important
    TimelineMemory,
    TimelineIPC,
    TimelineFileIO,
    TimelineNetwork,
    StackChart,  // known to the viewer, and not shown yet
  };

  // How a value is shown.
  enum class Format : uint8_t {
    Url,
    FilePath,
    SanitizedString,  // taken out when a profile is shared without private data
    String,
    UniqueString,  // once in the file, however often it comes
    Duration,      // ms, with the unit that fits
    Time,          // ms on the profile's time line
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    Bytes,
    Percentage,  // 0 to 1
    Integer,
    Decimal,
    Hexadecimal,
    Pid,
    Tid,
    List,
    FlowId,
    TerminatingFlowId,
  };

  // What is given when a marker is made.
  enum class InputType : uint8_t {
    Uint64,
    Uint32,
    Uint8,
    Int64,
    Int32,
    Int8,
    Double,
    Boolean,
    CString,  // const char*, string_view, string
    String,   // the same, and UTF-16
    TimeStamp,
    TimeDuration,  // std::chrono::duration
    Flow,          // geckoprof::Flow
    StringList,    // a range of strings
  };

  enum class PayloadFlags : uint32_t { None = 0, Searchable = 1, Hidden = 2, Optional = 4 };  // all fields are searched

  struct PayloadField {
    const char* Key;
    InputType InputTy;
    const char* Label = nullptr;
    Format Fmt = Format::String;
    PayloadFlags Flags = PayloadFlags::None;
  };

  struct Note {
    const char* Label;
    const char* Value;
  };

  enum class GraphType : uint8_t { Line, Bar, FilledLine };
  enum class GraphColor : uint8_t { None, Blue, Green, Grey, Ink, Magenta, Orange, Purple, Red, Teal, Yellow };
  struct Graph {
    const char* Key;
    GraphType Type;
    GraphColor Color = GraphColor::None;
  };
};

constexpr MarkerSchema::PayloadFlags operator|(MarkerSchema::PayloadFlags a, MarkerSchema::PayloadFlags b) {
  return static_cast<MarkerSchema::PayloadFlags>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool Has(MarkerSchema::PayloadFlags flags, MarkerSchema::PayloadFlags flag) {
  return (static_cast<uint32_t>(flags) & static_cast<uint32_t>(flag)) != 0;
}

template <typename Type>
struct BaseMarkerType {};

// The id of something that is passed on between threads or processes: the viewer joins markers with the same one.
class Flow {
 public:
  // Of an object of this process.
  static Flow FromPointer(const void* object) { return ProcessScoped(reinterpret_cast<uint64_t>(object)); }
  // Unique within this process only: mixed with what tells it from others.
  static Flow ProcessScoped(uint64_t id) { return Flow(id ^ geckoprof_base_process_salt()); }
  // Unique wherever the profile comes from.
  static constexpr Flow Global(uint64_t id) { return Flow(id); }
  constexpr uint64_t id() const { return id_; }

 private:
  explicit constexpr Flow(uint64_t id) : id_(id) {}
  uint64_t id_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_SCHEMA_H_
