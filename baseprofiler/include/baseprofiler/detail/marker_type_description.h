// The description of a declared marker type in the structures of marker_abi.h, made at compile time.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/language.h"
#include "baseprofiler/detail/schema_text.h"
#include "baseprofiler/detail/type_checks.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

GECKOPROF_DETECTOR_(kHasName, Type::Name);
GECKOPROF_DETECTOR_(kHasDescription, Type::Description);
GECKOPROF_DETECTOR_(kHasLocations, Type::Locations);
GECKOPROF_DETECTOR_(kHasPayloadFields, Type::PayloadFields);
GECKOPROF_DETECTOR_(kHasNotes, Type::Notes);
GECKOPROF_DETECTOR_(kHasGraphs, Type::Graphs);
GECKOPROF_DETECTOR_(kHasColorField, Type::ColorField);
GECKOPROF_DETECTOR_(kHasIsStackBased, Type::IsStackBased);
GECKOPROF_DETECTOR_(kHasHasSchema, Type::HasSchema);
GECKOPROF_DETECTOR_(kHasAllLabels, Type::AllLabels);
GECKOPROF_DETECTOR_(kHasChartLabel, Type::ChartLabel);
GECKOPROF_DETECTOR_(kHasTooltipLabel, Type::TooltipLabel);
GECKOPROF_DETECTOR_(kHasTableLabel, Type::TableLabel);
GECKOPROF_DETECTOR_(kHasNamedType, std::declval<typename Type::NamedType>());
GECKOPROF_DETECTOR_(kHasStreamFunction, &Type::StreamJSONMarkerData);
GECKOPROF_DETECTOR_(kHasMarkerTypeName, Type::MarkerTypeName());
GECKOPROF_DETECTOR_(kHasMarkerTypeDisplay, Type::MarkerTypeDisplay());

// PayloadFields is an array that the compiler knows.
template <typename Type, typename = void>
inline constexpr bool kHasConstantFields = false;
template <typename Type>
inline constexpr bool
    kHasConstantFields<Type, std::void_t<std::bool_constant<(Type::PayloadFields[0].Key == nullptr)>>> = true;

// A type that writes its fields itself, although it declares them.
template <typename Type>
inline constexpr bool kWritesFields = kHasName<Type>&& kHasStreamFunction<Type>;

// Returns whether the type has any member StreamJSONMarkerData, for example a template or several functions. The name
// is then ambiguous beside another base that has it.
struct StreamFunctionBase {
  static void StreamJSONMarkerData();
};
template <typename Type>
struct WithStreamFunctionBase : Type, StreamFunctionBase {};
template <typename Type>
constexpr bool HasStreamName() {
  if constexpr (std::is_final_v<Type>) {
    return false;
  } else {
    return !kHasStreamFunction<WithStreamFunctionBase<Type>>;
  }
}

// An array of no elements has one, which is not counted.
template <typename To, typename From, size_t kCount, typename Convert>
constexpr std::array<To, kCount == 0 ? 1 : kCount> ConvertAll(const From (&from)[kCount], Convert convert) {
  std::array<To, kCount> to{};
  for (size_t i = 0; i < kCount; ++i) to[i] = convert(from[i]);
  return to;
}

// Durations are written in ms, so they cannot have a finer format.
template <typename Type>
constexpr bool DurationsAreMs() {
  for (const MS::PayloadField& field : Type::PayloadFields) {
    const bool is_finer = field.Fmt == MS::Format::Microseconds || field.Fmt == MS::Format::Nanoseconds;
    if (field.InputTy == MS::InputType::TimeDuration && is_finer) return false;
  }
  return true;
}

// TypeLists has the fields and other lists of a type. It is hidden, as all variables here. Otherwise the compiler makes
// them unique in the process, and the dynamic linker never unloads a plugin that marks.
template <typename Type>
struct __attribute__((visibility("hidden"))) TypeLists {
  static constexpr auto Fields() {
    if constexpr (kHasPayloadFields<Type>) {
      static_assert(std::is_array_v<decltype(Type::PayloadFields)> && kHasConstantFields<Type>,
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
    if constexpr (kHasLocations<Type>) {
      return ConvertAll<const char*>(Type::Locations, [](MS::Location location) { return internal::ToText(location); });
    } else {
      return std::array<const char*, 2>{"marker-chart", "marker-table"};
    }
  }
  static constexpr auto Notes() {
    if constexpr (kHasNotes<Type>) {
      return ConvertAll<geckoprof_marker_note>(Type::Notes, [](const MS::Note& note) {
        return geckoprof_marker_note{note.Label, note.Value};
      });
    } else {
      return std::array<geckoprof_marker_note, 0>{};
    }
  }
  static constexpr auto Graphs() {
    if constexpr (kHasGraphs<Type>) {
      return ConvertAll<geckoprof_marker_graph>(Type::Graphs, [](const MS::Graph& graph) {
        return geckoprof_marker_graph{graph.Key, internal::ToText(graph.Type), internal::ToText(graph.Color)};
      });
    } else {
      return std::array<geckoprof_marker_graph, 0>{};
    }
  }
  // Returns the fields of the payload. For a type that writes itself, the payload is an object that has the fields.
  static constexpr auto PayloadLayout() {
    if constexpr (kWritesFields<Type>) {
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
  static constexpr auto kPayloadLayout = PayloadLayout();
  static constexpr auto kDisplay = Display();
  static constexpr auto kNotes = Notes();
  static constexpr auto kGraphs = Graphs();
};

template <typename Type>
constexpr const char* AllLabelsOf() {
  if constexpr (kHasAllLabels<Type>) return Type::AllLabels;
  return nullptr;
}
template <typename Type>
constexpr const char* ChartLabelOf() {
  if constexpr (kHasChartLabel<Type>) return Type::ChartLabel;
  return AllLabelsOf<Type>();
}
template <typename Type>
constexpr const char* TooltipLabelOf() {
  if constexpr (kHasTooltipLabel<Type>) return Type::TooltipLabel;
  return AllLabelsOf<Type>();
}
template <typename Type>
constexpr const char* TableLabelOf() {
  if constexpr (kHasTableLabel<Type>) return Type::TableLabel;
  return AllLabelsOf<Type>();
}

// TypeIsSound checks the parts of a type that can be wrong. Each has its message.
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
    if constexpr (kHasHasSchema<Type>) return Type::HasSchema;
    return true;
  }
  static constexpr bool ColorHolds() {
    if constexpr (kHasColorField<Type>) return IsColorKey(Lists::kFields, Type::ColorField);
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
  if constexpr (kHasIsStackBased<Type>) type.flags = Type::IsStackBased ? GECKOPROF_TYPE_STACK_BASED : 0;
  if constexpr (kHasHasSchema<Type>) type.flags |= Type::HasSchema ? 0 : GECKOPROF_TYPE_NO_SCHEMA;
  type.name = Type::Name;
  if constexpr (kHasDescription<Type>) type.description = Type::Description;
  if constexpr (kHasColorField<Type>) type.color_field = Type::ColorField;
  type.chart_label = ChartLabelOf<Type>();
  type.tooltip_label = TooltipLabelOf<Type>();
  type.table_label = TableLabelOf<Type>();
  type.display = Lists::kDisplay.data();
  type.fields = Lists::kPayloadLayout.data();
  type.notes = Lists::kNotes.data();
  type.graphs = Lists::kGraphs.data();
  type.display_count = static_cast<uint32_t>(Lists::kDisplay.size());
  type.field_count = static_cast<uint32_t>(Lists::kPayloadLayout.size());
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

// Each executable or library has one description of a type.
template <typename Type>
__attribute__((visibility("hidden"))) inline GECKOPROF_CONSTINIT_ geckoprof_marker_type g_marker_type =
    DescribeSound<Type>();
struct NoPayload {};

// Returns null for NoPayload, and for a type whose description is made when it is first used
// (runtime_type_description.h).
template <typename Type>
constexpr geckoprof_marker_type* ConstantTypeOf() {
  if constexpr (kHasNamedType<Type>) {
    static_assert(std::is_base_of_v<typename Type::NamedType, Type>,
                  "a marker type names itself to its base: struct Load : BaseMarkerType<Load>");
  }
  if constexpr (kHasName<Type>) {
    static_assert(!std::is_member_pointer_v<decltype(&Type::Name)>,
                  "a marker type's Name is static: static constexpr const char*");
    constexpr bool kIsPointer = std::is_convertible_v<decltype(Type::Name), const char*>;
    static_assert(kIsPointer, "a marker type's Name is a const char*: static constexpr const char*");
    static_assert(kWritesFields<Type> || kHasMarkerTypeDisplay<Type> || !HasStreamName<Type>(),
                  "beside a Name and PayloadFields, StreamJSONMarkerData is one public function, no template");
    if constexpr (kIsPointer) {
      return &g_marker_type<Type>;
    } else {
      return nullptr;
    }
  } else {
    static_assert(
        std::is_same_v<Type, NoPayload> || kHasMarkerTypeName<Type>,
        "a marker type has a public Name (static constexpr const char*), or a MarkerTypeName() in the older style");
    return nullptr;
  }
}
// The site of markers that have their own name.
template <typename Type>
__attribute__((visibility("hidden"))) inline GECKOPROF_CONSTINIT_ geckoprof_marker_site g_nameless_site = {
    sizeof(geckoprof_marker_site), 1u << 8, nullptr, ConstantTypeOf<Type>(), 0};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MARKER_TYPE_DESCRIPTION_H_
