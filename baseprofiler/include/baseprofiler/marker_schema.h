// How a marker type declares its fields, and how the viewer shows them. Names follow Firefox
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
// A type needs only a Name. Further members are ChartLabel, TooltipLabel, TableLabel, AllLabels, ColorField (a key),
// Notes (MS::Note[]), Graphs (MS::Graph[]), IsStackBased and HasSchema. Set IsStackBased if the markers of a thread
// nest properly. HasSchema is false for a type that the viewer knows by its Name, for example Network, IPC or GCMajor.
#ifndef GECKOPROF_BASEPROFILER_MARKER_SCHEMA_H_
#define GECKOPROF_BASEPROFILER_MARKER_SCHEMA_H_

#include <cstddef>
#include <cstdint>

#include "baseprofiler/detail/language.h"
#include "baseprofiler/flow.h"
#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// MarkerSchema has the enumerations and structures for declared types. A type that does not declare its fields returns
// a MarkerSchema from its MarkerTypeDisplay(). The texts are not copied, so they should be literals.
class MarkerSchema {
 public:
  enum class Location : uint8_t {
    MarkerChart,
    MarkerTable,
    TimelineOverview,  // the headers of threads that the viewer considers important
    TimelineMemory,
    TimelineIPC,
    TimelineFileIO,
    TimelineNetwork,
    StackChart,  // The viewer knows it, but does not show it yet.
  };

  // How a value is shown.
  enum class Format : uint8_t {
    // [marker_formats] tools/build_lists writes these lines from common/lists/marker_formats.json.
    Url,
    FilePath,
    SanitizedString,  // The viewer removes it from a profile that is shared without private data.
    String,
    UniqueString,  // The file has each text once.
    Duration,      // in ms; the viewer chooses a unit
    Time,          // in ms on the profile's time line
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
    Table,  // with TableColumns
    // [/marker_formats]
    Flow = FlowId,
    TerminatingFlow = TerminatingFlowId,
  };

  // The type of the argument that a program gives for a field.
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
    String,   // the same types, and UTF-16
    TimeStamp,
    TimeDuration,  // std::chrono::duration
    Flow,          // geckoprof::Flow
    StringList,    // a range of strings
    Table,         // A range of rows. A row is a tuple or std::array with a cell for each column. A cell is a string, a
                   // number, a bool, a duration, or an optional of these.
  };

  // A column has any format except Table, List, UniqueString and the formats of flows.
  struct TableColumn {
    const char* Label;
    Format Fmt = Format::String;
  };

  using TableColumns = internal::ArrayView<const TableColumn>;  // An array or a std::span of columns converts to it.

  enum class PayloadFlags : uint32_t { None = 0, Searchable = 1, Hidden = 2, Optional = 4 };  // all fields are searched
  enum class Searchable : uint8_t { Searchable };

  struct PayloadField {
    const char* Key;
    InputType InputTy;
    const char* Label = nullptr;
    Format Fmt = Format::String;
    PayloadFlags Flags = PayloadFlags::None;
    TableColumns Columns = {};  // for a Table
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

  // --- for types that do not declare their fields ---

  static constexpr size_t kMaxLocations = 8;
  static constexpr size_t kMaxFields = 64;  // Further additions are ignored.
  static constexpr size_t kMaxNotes = 8;
  static constexpr size_t kMaxGraphs = 8;
  struct KeyFormat {
    const char* key;
    const char* label;
    Format format;
    PayloadFlags flags;
    TableColumns columns;
  };

  // For types that the viewer knows itself. No schema is written for them.
  struct SpecialFrontendLocation {};
  constexpr MarkerSchema(SpecialFrontendLocation)  // NOLINT: implicit, as it is returned for one
      : has_schema_(false) {}
  template <typename... Locations>
  constexpr explicit MarkerSchema(Location first, Locations... rest)
      : locations_{first, rest...}, location_count_(1 + sizeof...(rest)) {}

  constexpr MarkerSchema& SetChartLabel(const char* label) { return Set(chart_label_, label); }
  constexpr MarkerSchema& SetTooltipLabel(const char* label) { return Set(tooltip_label_, label); }
  constexpr MarkerSchema& SetTableLabel(const char* label) { return Set(table_label_, label); }
  constexpr MarkerSchema& SetAllLabels(const char* label) {
    return SetChartLabel(label).SetTooltipLabel(label).SetTableLabel(label);
  }
  constexpr MarkerSchema& SetIsStackBased() {
    is_stack_based_ = true;
    return *this;
  }
  constexpr MarkerSchema& AddKeyFormat(const char* key, Format format, PayloadFlags flags = PayloadFlags::None) {
    return AddKeyLabelFormat(key, nullptr, format, flags);
  }
  constexpr MarkerSchema& AddKeyLabelFormat(const char* key, const char* label, Format format,
                                            PayloadFlags flags = PayloadFlags::None) {
    if (key_count_ < kMaxFields) keys_[key_count_++] = {key, label, format, flags, {}};
    return *this;
  }
  // The columns are not copied. The type must write each row as an array with one element for each column.
  constexpr MarkerSchema& AddKeyLabelTable(const char* key, const char* label, TableColumns columns) {
    if (key_count_ < kMaxFields) keys_[key_count_++] = {key, label, Format::Table, PayloadFlags::None, columns};
    return *this;
  }
  constexpr MarkerSchema& AddKeyFormatSearchable(const char* key, Format format, Searchable = Searchable::Searchable) {
    return AddKeyFormat(key, format);
  }
  constexpr MarkerSchema& AddKeyLabelFormatSearchable(const char* key, const char* label, Format format,
                                                      Searchable = Searchable::Searchable) {
    return AddKeyLabelFormat(key, label, format);
  }
  constexpr MarkerSchema& AddStaticLabelValue(const char* label, const char* value) {
    if (note_count_ < kMaxNotes) notes_[note_count_++] = {label, value};
    return *this;
  }
  constexpr MarkerSchema& AddChart(const char* key, GraphType type) {
    return AddChartColor(key, type, GraphColor::None);
  }
  constexpr MarkerSchema& AddChartColor(const char* key, GraphType type, GraphColor color) {
    if (graph_count_ < kMaxGraphs) graphs_[graph_count_++] = {key, type, color};
    return *this;
  }

  bool has_schema() const { return has_schema_; }
  bool is_stack_based() const { return is_stack_based_; }
  const char* chart_label() const { return chart_label_; }
  const char* tooltip_label() const { return tooltip_label_; }
  const char* table_label() const { return table_label_; }
  internal::ArrayView<const Location> locations() const { return {locations_, location_count_}; }
  internal::ArrayView<const KeyFormat> keys() const { return {keys_, key_count_}; }
  internal::ArrayView<const Note> notes() const { return {notes_, note_count_}; }
  internal::ArrayView<const Graph> graphs() const { return {graphs_, graph_count_}; }

 private:
  constexpr MarkerSchema& Set(const char*& label, const char* text) {
    label = text;
    return *this;
  }

  bool has_schema_ = true;
  bool is_stack_based_ = false;
  const char* chart_label_ = nullptr;
  const char* tooltip_label_ = nullptr;
  const char* table_label_ = nullptr;
  Location locations_[kMaxLocations] = {};
  KeyFormat keys_[kMaxFields] = {};
  Note notes_[kMaxNotes] = {};
  Graph graphs_[kMaxGraphs] = {};
  size_t location_count_ = 0;
  size_t key_count_ = 0;
  size_t note_count_ = 0;
  size_t graph_count_ = 0;
};

constexpr MarkerSchema::PayloadFlags operator|(MarkerSchema::PayloadFlags a, MarkerSchema::PayloadFlags b) {
  return static_cast<MarkerSchema::PayloadFlags>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool Has(MarkerSchema::PayloadFlags flags, MarkerSchema::PayloadFlags flag) {
  return (static_cast<uint32_t>(flags) & static_cast<uint32_t>(flag)) != 0;
}

namespace internal {
template <typename Type, typename Writer, typename... Arguments>
void WriteFields(Writer& writer, const Arguments&... arguments);  // detail/payload_arguments.h
}

// BaseMarkerType is the base of a marker type, which passes itself: struct Load : BaseMarkerType<Load>.
template <typename Type>
struct BaseMarkerType {
  using NamedType = Type;
  // Writes the fields, for a type that has a StreamJSONMarkerData beside its PayloadFields. A type without that
  // function is recorded field by field, which is faster.
  template <typename Writer, typename... Arguments>
  static void StreamJSONMarkerDataImpl(Writer& writer, const Arguments&... arguments) {
    internal::WriteFields<Type>(writer, arguments...);
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_SCHEMA_H_
