// From a declared type to what marker_abi.h wants, at compile time.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "baseprofiler/detail/schema_words.h"
#include "baseprofiler/detail/table_format.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

constexpr uint32_t ToKind(MS::InputType type) {
  switch (type) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
      return GECKOPROF_FIELD_UINT64;
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return GECKOPROF_FIELD_INT64;
    case MS::InputType::Double:
      return GECKOPROF_FIELD_DOUBLE;
    case MS::InputType::Boolean:
      return GECKOPROF_FIELD_BOOL;
    case MS::InputType::CString:
    case MS::InputType::String:
      return GECKOPROF_FIELD_STRING;
    case MS::InputType::TimeStamp:
      return GECKOPROF_FIELD_TIME;
    case MS::InputType::TimeDuration:
      return GECKOPROF_FIELD_NS;
    case MS::InputType::Flow:
      return GECKOPROF_FIELD_FLOW;
    case MS::InputType::StringList:
    case MS::InputType::Table:
      return GECKOPROF_FIELD_VALUE;
  }
  return GECKOPROF_FIELD_VALUE;
}

// The original gives ids of flows as numbers; in a profile they are texts.
constexpr MS::InputType InputOf(const MS::PayloadField& field) {
  const bool is_flow = field.Fmt == MS::Format::FlowId || field.Fmt == MS::Format::TerminatingFlowId;
  return is_flow && field.InputTy == MS::InputType::Uint64 ? MS::InputType::Flow : field.InputTy;
}

// Lists that are empty take one place, which is not counted.
template <typename To, typename From, size_t kCount, typename Convert>
constexpr std::array<To, kCount == 0 ? 1 : kCount> ConvertAll(const From (&from)[kCount], Convert convert) {
  std::array<To, kCount> to{};
  for (size_t i = 0; i < kCount; ++i) to[i] = convert(from[i]);
  return to;
}

// Durations are written in ms.
template <typename Type>
constexpr bool DurationsAreMs() {
  for (const MS::PayloadField& field : Type::PayloadFields) {
    const bool is_finer = field.Fmt == MS::Format::Microseconds || field.Fmt == MS::Format::Nanoseconds;
    if (field.InputTy == MS::InputType::TimeDuration && is_finer) return false;
  }
  return true;
}

// Hidden, as all variables here: else the compiler makes them unique in the process, and the dynamic linker never
// unloads a plugin that marks.
template <typename Type>
struct __attribute__((visibility("hidden"))) TypeLists {
  static constexpr auto Fields() {
    if constexpr (requires { Type::PayloadFields; }) {
      static_assert(
          TableFormats<Type>::AreWhole(),
          "a PayloadField of InputType::Table, and no other, has Format::Table and Columns, whose formats are "
          "not Table, List, UniqueString or those of flows");
      static_assert(DurationsAreMs<Type>(),
                    "Format::Microseconds and Nanoseconds want a number: a TimeDuration is in ms");
      auto fields = ConvertAll<geckoprof_marker_field>(Type::PayloadFields, [](const MS::PayloadField& field) {
        return geckoprof_marker_field{
            field.Key, field.Label, internal::ToText(field.Fmt), ToKind(InputOf(field)),
            (Has(field.Flags, MS::PayloadFlags::Hidden) ? GECKOPROF_FIELD_HIDDEN : 0) |
                (Has(field.Flags, MS::PayloadFlags::Optional) ? GECKOPROF_FIELD_OPTIONAL : 0)};
      });
      for (size_t i = 0; i < fields.size(); ++i) {
        if (const char* const table = TableFormats<Type>::TextOf(i)) fields[i].format = table;
      }
      return fields;
    } else {
      return std::array<geckoprof_marker_field, 0>{};
    }
  }
  static constexpr auto Display() {
    if constexpr (requires { Type::Locations; }) {
      return ConvertAll<const char*>(Type::Locations, [](MS::Location location) { return internal::ToText(location); });
    } else {
      return std::array<const char*, 2>{"marker-chart", "marker-table"};
    }
  }
  static constexpr auto Notes() {
    if constexpr (requires { Type::Notes; }) {
      return ConvertAll<geckoprof_marker_note>(Type::Notes, [](const MS::Note& note) {
        return geckoprof_marker_note{note.Label, note.Value};
      });
    } else {
      return std::array<geckoprof_marker_note, 0>{};
    }
  }
  static constexpr auto Graphs() {
    if constexpr (requires { Type::Graphs; }) {
      return ConvertAll<geckoprof_marker_graph>(Type::Graphs, [](const MS::Graph& graph) {
        return geckoprof_marker_graph{graph.Key, internal::ToText(graph.Type), internal::ToText(graph.Color)};
      });
    } else {
      return std::array<geckoprof_marker_graph, 0>{};
    }
  }
  static constexpr auto kFields = Fields();
  static constexpr auto kDisplay = Display();
  static constexpr auto kNotes = Notes();
  static constexpr auto kGraphs = Graphs();
};

#define GECKOPROF_TYPE_TEXT_(type, member)                                                                \
  [] {                                                                                                    \
    const char* text = nullptr;                                                                           \
    if constexpr (requires { type::member; }) {                                                           \
      text = type::member;                                                                                \
    } else if constexpr (requires { type::AllLabels; } && std::string_view(#member).ends_with("Label")) { \
      text = type::AllLabels;                                                                             \
    }                                                                                                     \
    return text;                                                                                          \
  }()

template <typename Type>
constexpr geckoprof_marker_type Describe() {
  using Lists = TypeLists<Type>;
  geckoprof_marker_type type{};
  type.size_bytes = sizeof(type);
  if constexpr (requires { Type::IsStackBased; }) type.flags = Type::IsStackBased ? GECKOPROF_TYPE_STACK_BASED : 0;
  if constexpr (requires { Type::HasSchema; }) type.flags |= Type::HasSchema ? 0 : GECKOPROF_TYPE_NO_SCHEMA;
  type.name = Type::Name;
  if constexpr (requires { Type::Description; }) type.description = Type::Description;
  if constexpr (requires { Type::ColorField; }) type.color_field = Type::ColorField;
  type.chart_label = GECKOPROF_TYPE_TEXT_(Type, ChartLabel);
  type.tooltip_label = GECKOPROF_TYPE_TEXT_(Type, TooltipLabel);
  type.table_label = GECKOPROF_TYPE_TEXT_(Type, TableLabel);
  type.display = Lists::kDisplay.data();
  type.fields = Lists::kFields.data();
  type.notes = Lists::kNotes.data();
  type.graphs = Lists::kGraphs.data();
  type.display_count = static_cast<uint32_t>(Lists::kDisplay.size());
  type.field_count = static_cast<uint32_t>(Lists::kFields.size());
  type.note_count = static_cast<uint32_t>(Lists::kNotes.size());
  type.graph_count = static_cast<uint32_t>(Lists::kGraphs.size());
  return type;
}
#undef GECKOPROF_TYPE_TEXT_

// One of each type in an executable or library.
template <typename Type>
__attribute__((visibility("hidden"))) inline constinit geckoprof_marker_type g_marker_type = Describe<Type>();
// Null for a type whose description is made when it is first used (older_type_description.h), and for no payload.
struct NoPayload {};
template <typename Type>
constexpr geckoprof_marker_type* ConstantTypeOf() {
  if constexpr (requires { Type::Name; }) {
    return &g_marker_type<Type>;
  } else {
    return nullptr;
  }
}
// Of markers whose name comes with them.
template <typename Type>
__attribute__((visibility("hidden"))) inline constinit geckoprof_marker_site g_nameless_site = {
    sizeof(geckoprof_marker_site), 1u << 8, nullptr, ConstantTypeOf<Type>(), 0};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_
