// Types of markers as they were written before fields could be declared, so that code which has them can stay as it is:
//
//   struct Parsed {
//     static constexpr std::string_view MarkerTypeName() { return "Parsed"; }
//     static void StreamJSONMarkerData(geckoprof::baseprofiler::SpliceableJSONWriter& writer, std::string_view url,
//                                      int tokens) {
//       writer.StringProperty("url", url);
//       writer.IntProperty("tokens", tokens);
//     }
//     static geckoprof::MarkerSchema MarkerTypeDisplay() {
//       using MS = geckoprof::MarkerSchema;
//       MS schema{MS::Location::MarkerChart, MS::Location::MarkerTable};
//       return schema.AddKeyLabelFormat("url", "URL", MS::Format::Url).AddKeyFormat("tokens", MS::Format::Integer);
//     }
//   };
#ifndef GECKOPROF_BASEPROFILER_DETAIL_OLDER_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_DETAIL_OLDER_TYPE_DESCRIPTION_H_

#include <concepts>
#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>

#include "baseprofiler/detail/first_use.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/type_writer.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

// StreamJSONMarkerData may be a template, over the writer for example: only the call shows whether it is there.
template <typename Type>
concept OlderMarkerType = requires {
  { Type::MarkerTypeDisplay() } -> std::convertible_to<MarkerSchema>;
  Type::MarkerTypeName();
};

template <typename Type>
concept WritesItself = OlderMarkerType<Type> || WritesFields<Type>;

// Around a call of StreamJSONMarkerData: one that an exception or the thread's cancellation ends is counted
// (bad-marker).
struct CountedUnlessWhole {
  bool is_whole = false;
  ~CountedUnlessWhole() {
    if (!is_whole) geckoprof_base_add_marker(nullptr, nullptr, nullptr, 0);
  }
};

// Of a string_view or the like it must end with a 0, as a literal does.
template <OlderMarkerType Type>
const char* OlderTypeName() {
  if constexpr (requires { Type::MarkerTypeName().data(); }) {
    return Type::MarkerTypeName().data();
  } else {
    static_assert(std::is_convertible_v<decltype(Type::MarkerTypeName()), const char*>,
                  "MarkerTypeName returns a std::string_view of a literal, or a const char*");
    return Type::MarkerTypeName();
  }
}

// The description of such a type, made when it is first used.
class OlderTypeDescription {
 public:
  OlderTypeDescription(const char* name, const MarkerSchema& schema) : schema_(schema) {
    type_.size_bytes = sizeof(type_);
    type_.flags = (schema.is_stack_based() ? GECKOPROF_TYPE_STACK_BASED : 0) |
                  (schema.has_schema() ? 0 : GECKOPROF_TYPE_NO_SCHEMA);
    type_.name = name;
    type_.chart_label = schema.chart_label();
    type_.tooltip_label = schema.tooltip_label();
    type_.table_label = schema.table_label();
    for (const MS::Location location : schema.locations()) {
      if (const char* const text = ToText(location); text != nullptr) display_[type_.display_count++] = text;
    }
    for (const MS::KeyFormat& key : schema.keys()) {
      fields_[type_.field_count++] = {
          key.key, key.label, FormatText(key), GECKOPROF_FIELD_VALUE,
          GECKOPROF_FIELD_IN_SCHEMA_ONLY | (Has(key.flags, MS::PayloadFlags::Hidden) ? GECKOPROF_FIELD_HIDDEN : 0)};
    }
    fields_[type_.field_count++] = {"", nullptr, nullptr, GECKOPROF_FIELD_VALUE, GECKOPROF_FIELD_SPREAD};
    for (const MS::Graph& graph : schema.graphs()) {
      graphs_[type_.graph_count++] = {graph.Key, ToText(graph.Type), ToText(graph.Color)};
    }
    for (const MS::Note& note : schema.notes()) notes_[type_.note_count++] = {note.Label, note.Value};
    type_.display = display_;
    type_.fields = fields_;
    type_.graphs = graphs_;
    type_.notes = notes_;
  }
  OlderTypeDescription(const OlderTypeDescription&) = delete;
  OlderTypeDescription& operator=(const OlderTypeDescription&) = delete;

  geckoprof_marker_type& type() { return type_; }

 private:
  // Tables for which there is no room, and such without columns, are in no schema.
  const char* FormatText(const MS::KeyFormat& key) {
    if (key.format != MS::Format::Table) return ToText(key.format);
    if (key.columns.empty()) return nullptr;
    const size_t bytes = WriteTableFormat(key.columns, nullptr);
    if (bytes > sizeof table_texts_ - table_text_bytes_) return nullptr;
    char* const text = table_texts_ + table_text_bytes_;
    table_text_bytes_ += WriteTableFormat(key.columns, text);
    return text;
  }

  const MarkerSchema schema_;  // whose texts are borrowed
  geckoprof_marker_type type_{};
  const char* display_[MarkerSchema::kMostLocations];
  geckoprof_marker_field fields_[MarkerSchema::kMostFields + 1];
  geckoprof_marker_note notes_[MarkerSchema::kMostNotes];
  geckoprof_marker_graph graphs_[MarkerSchema::kMostGraphs];
  size_t table_text_bytes_ = 0;
  char table_texts_[1024];
};

// What a type of the older style is given may become a string_view there.
template <typename Argument>
decltype(auto) WithoutNull(const Argument& argument) {
  if constexpr (std::is_same_v<Argument, const char*> || std::is_same_v<Argument, char*>) {
    return argument == nullptr ? static_cast<const char*>("") : argument;
  } else {
    return (argument);
  }
}

// Hidden: of each library its own, so that one which is closed takes no other's with it. Null: see FirstUse.
template <OlderMarkerType Type>
__attribute__((visibility("hidden"))) geckoprof_marker_type* OlderTypeOf() {
  static constinit FirstUse<OlderTypeDescription> description;
  OlderTypeDescription* const made = description.Get(
      [](void* place) { return new (place) OlderTypeDescription(OlderTypeName<Type>(), Type::MarkerTypeDisplay()); });
  return made == nullptr ? nullptr : &made->type();
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_OLDER_TYPE_DESCRIPTION_H_
