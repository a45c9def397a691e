// From a declared type to what marker_abi.h wants, at compile time.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "baseprofiler/detail/field_kinds.h"
#include "baseprofiler/detail/schema_words.h"
#include "baseprofiler/detail/table_format.h"
#include "baseprofiler/detail/type_checks.h"
#include "baseprofiler/detail/type_writer.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

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
          std::is_array_v<decltype(Type::PayloadFields)> &&
              requires { typename std::bool_constant<(Type::PayloadFields[0].Key == nullptr)>; },
          "PayloadFields is a plain array: static constexpr MS::PayloadField PayloadFields[] = {...}");
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
        if (TableFormats<Type>::IsTable(i)) fields[i].format = TableFormats<Type>::TextOf(i);
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
  // What the payload of one that writes itself is: an object, out of which the fields come.
  static constexpr auto Lain() {
    if constexpr (WritesFields<Type>) {
      constexpr auto kDeclared = Fields();
      std::array<geckoprof_marker_field, kDeclared.size() + 1> fields{};
      for (size_t i = 0; i < kDeclared.size(); ++i) {
        fields[i] = kDeclared[i];
        fields[i].kind = GECKOPROF_FIELD_VALUE;
        fields[i].flags = (fields[i].flags & GECKOPROF_FIELD_HIDDEN) | GECKOPROF_FIELD_IN_SCHEMA_ONLY;
      }
      fields[kDeclared.size()] = {"", nullptr, nullptr, GECKOPROF_FIELD_VALUE, GECKOPROF_FIELD_SPREAD};
      return fields;
    } else {
      return Fields();
    }
  }
  static constexpr auto kFields = Fields();
  static constexpr auto kLain = Lain();
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

// The parts of a type that can be wrong, one sentence each.
template <typename Type>
struct TypeIsSound {
  using Lists = TypeLists<Type>;
  static constexpr TypeFields Fields() { return Lists::kFields; }
  template <typename Holds>
  static constexpr bool EachField(const Holds& holds) {
    for (const geckoprof_marker_field& field : Lists::kFields) {
      if (!holds(field)) return false;
    }
    return true;
  }
  static constexpr bool GraphsHold() {
    for (const geckoprof_marker_graph& graph : Lists::kGraphs) {
      if (!IsGraphKey(Lists::kFields, graph.key)) return false;
    }
    return true;
  }
  static constexpr bool HasSchema() {
    if constexpr (requires { Type::HasSchema; }) return Type::HasSchema;
    return true;
  }
  static constexpr bool ColorHolds() {
    if constexpr (requires { Type::ColorField; }) return IsColorKey(Lists::kFields, Type::ColorField);
    return true;
  }

  static_assert(!std::string_view(Type::Name).empty(), "a marker type's Name is not empty");
  static_assert(
      !HasSchema() || !IsViewersOwn(Type::Name),
      "a type that is named Jank, IPC, Network, GCMajor, GCSlice or CompositorScreenshot is the viewer's own: "
      "another Name, or HasSchema = false and the fields that the viewer wants");
  static_assert(HasSchema() || NeedsNoSchema(Type::Name),
                "HasSchema = false is for a type that the viewer knows by its Name: of another it shows no field");
  static_assert(EachField([](const auto& field) { return IsFreeKey(field.key); }),
                "a PayloadField has a Key, which is none of \"type\", \"cause\", \"stack\", \"markerFlow\" and "
                "\"markerTerminatingFlow\"");
  static_assert(KeysDiffer(Lists::kFields), "no two PayloadFields of a type have the same Key");
  static_assert(EachField([](const auto& field) { return FormatFits(field.kind, field.format); }),
                "the Format of a PayloadField is one for its InputType: numbers for a number's, a text for a text's, "
                "Format::List for a StringList, that of a flow for a Flow");
  static_assert(GraphsHold(), "a Graph's Key is that of a PayloadField with a number");
  static_assert(ColorHolds(), "the ColorField is the Key of a PayloadField with a text, no UniqueString");
  static constexpr bool kIsSound = true;
};

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
  type.fields = Lists::kLain.data();
  type.notes = Lists::kNotes.data();
  type.graphs = Lists::kGraphs.data();
  type.display_count = static_cast<uint32_t>(Lists::kDisplay.size());
  type.field_count = static_cast<uint32_t>(Lists::kLain.size());
  type.note_count = static_cast<uint32_t>(Lists::kNotes.size());
  type.graph_count = static_cast<uint32_t>(Lists::kGraphs.size());
  return type;
}

template <typename Type>
constexpr geckoprof_marker_type DescribeSound() {
  static_assert(TypeIsSound<Type>::kIsSound);
  static_assert(
      AreLabels(Describe<Type>()),
      "what stands in braces in a label is {marker.name} or the like, or {marker.data.KEY} of a PayloadField");
  return Describe<Type>();
}
#undef GECKOPROF_TYPE_TEXT_

// One of each type in an executable or library.
template <typename Type>
__attribute__((visibility("hidden"))) inline constinit geckoprof_marker_type g_marker_type = DescribeSound<Type>();
// Null for a type whose description is made when it is first used (older_type_description.h), and for no payload.
struct NoPayload {};
template <typename Type>
constexpr geckoprof_marker_type* ConstantTypeOf() {
  if constexpr (requires { typename Type::NamedType; }) {
    static_assert(std::is_base_of_v<typename Type::NamedType, Type>,
                  "a marker type names itself to its base: struct Load : BaseMarkerType<Load>");
  }
  if constexpr (requires { Type::Name; }) {
    static_assert(!std::is_member_pointer_v<decltype(&Type::Name)>,
                  "a marker type's Name is static: static constexpr const char*");
    constexpr bool kIsPointer = std::is_convertible_v<decltype(Type::Name), const char*>;
    static_assert(kIsPointer, "a marker type's Name is a const char*: static constexpr const char*");
    static_assert(
        WritesFields<Type> || requires { Type::MarkerTypeDisplay(); } || !HasWritingName<Type>,
        "beside a Name and PayloadFields, StreamJSONMarkerData is one public function, no template");
    if constexpr (kIsPointer) {
      return &g_marker_type<Type>;
    } else {
      return nullptr;
    }
  } else {
    static_assert(
        std::is_same_v<Type, NoPayload> || requires { Type::MarkerTypeName(); },
        "a marker type has a public Name (static constexpr const char*), or a MarkerTypeName() in the older style");
    return nullptr;
  }
}
// Of markers whose name comes with them.
template <typename Type>
__attribute__((visibility("hidden"))) inline constinit geckoprof_marker_site g_nameless_site = {
    sizeof(geckoprof_marker_site), 1u << 8, nullptr, ConstantTypeOf<Type>(), 0};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_
