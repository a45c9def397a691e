// The arguments that a field of a marker takes, and the messages of the compiler for others.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_ARGUMENT_TYPES_H_
#define GECKOPROF_BASEPROFILER_DETAIL_ARGUMENT_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/language.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/schema_text.h"
#include "baseprofiler/detail/type_checks.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

// A std::optional, or a class that is derived from one.
template <typename Type, typename = void>
inline constexpr bool kIsOptional = false;
template <typename Type>
inline constexpr bool kIsOptional<Type, std::void_t<typename Type::value_type>> =
    std::is_base_of_v<std::optional<typename Type::value_type>, Type>;

// A text, or an optional one.
template <typename Argument>
constexpr bool MayBeUtf8Text() {
  if constexpr (kIsOptional<Argument>) {
    return MayBeUtf8Text<typename Argument::value_type>();
  } else {
    return kIsUtf8Text<Argument>;
  }
}

// std::nullopt stands for no value in an optional field.
template <typename Argument>
inline constexpr bool kIsNullopt = std::is_same_v<Plain<Argument>, std::nullopt_t>;

// A range has std::begin. <string_view> declares that function, and the iterator categories.
GECKOPROF_DETECTOR_(kIsRange, *std::begin(std::declval<const Type&>()));
template <typename Range>
using IteratorOf = decltype(std::begin(std::declval<const Range&>()));
template <typename Range>
using ElementOf = std::decay_t<decltype(*std::begin(std::declval<const Range&>()))>;

// A range can be walked twice, to be counted and to be written, if its iterators are forward iterators. A view of C++20
// declares that by iterator_concept. An iterator that declares neither member returns itself from i++.
template <typename Iterator, typename = void>
inline constexpr bool kHasForwardConcept = false;
template <typename Iterator>
inline constexpr bool kHasForwardConcept<Iterator, std::void_t<typename Iterator::iterator_concept>> =
    std::is_convertible_v<typename Iterator::iterator_concept, std::forward_iterator_tag>;
template <typename Iterator, typename = void>
inline constexpr bool kHasForwardCategory = std::is_same_v<decltype(std::declval<Iterator&>()++), Iterator>;
template <typename Iterator>
inline constexpr bool
    kHasForwardCategory<Iterator, std::void_t<typename std::iterator_traits<Iterator>::iterator_category>> =
        std::is_convertible_v<typename std::iterator_traits<Iterator>::iterator_category, std::forward_iterator_tag>;
template <typename Range>
constexpr bool IsMultiPass() {
  if constexpr (kIsRange<Range>) {
    return kHasForwardCategory<IteratorOf<Range>> || kHasForwardConcept<IteratorOf<Range>>;
  } else {
    return false;
  }
}

// A row of a table is a type with a tuple_size.
GECKOPROF_DETECTOR_(kHasTupleSize, std::tuple_size<Type>::value);
template <typename Range>
constexpr bool IsRangeOfTexts() {
  if constexpr (IsMultiPass<Range>()) {
    return kIsUtf8Text<ElementOf<Range>>;
  } else {
    return false;
  }
}
template <typename Range>
constexpr bool IsRangeOfRows() {
  if constexpr (IsMultiPass<Range>()) {
    return kHasTupleSize<ElementOf<Range>>;
  } else {
    return false;
  }
}

// UTF-16 texts and lists cannot stay in place.
template <typename Argument>
constexpr bool NeedsScratch() {
  using Value = Plain<Argument>;
  if constexpr (kIsOptional<Value>) {
    return NeedsScratch<typename Value::value_type>();
  } else {
    return !kIsUtf8Text<Value> && (kIsUtf16Text<Value> || kIsRange<Value>);
  }
}
template <typename... Arguments>
constexpr bool AnyNeedsScratch() {
  return (NeedsScratch<Arguments>() || ...);
}

template <MS::InputType kType, typename Argument>
constexpr bool Fits() {
  switch (kType) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return sizeof(Argument) <= sizeof(uint64_t) &&
             ((std::is_integral_v<Argument> && !std::is_same_v<Argument, bool>) || std::is_enum_v<Argument>);
    case MS::InputType::Double:
      return std::is_arithmetic_v<Argument> && !std::is_same_v<Argument, bool>;
    case MS::InputType::Boolean:
      return std::is_same_v<Argument, bool>;
    case MS::InputType::CString:
      return kIsUtf8Text<Argument>;
    case MS::InputType::String:
      return kIsUtf8Text<Argument> || kIsUtf16Text<Argument>;
    case MS::InputType::TimeStamp:
      return std::is_same_v<Argument, TimeStamp>;
    case MS::InputType::TimeDuration:
      return kIsDuration<Argument>;
    case MS::InputType::Flow:
      return std::is_same_v<Argument, Flow>;
    case MS::InputType::StringList:
      return std::is_same_v<Argument, WrittenValue> || IsRangeOfTexts<Argument>();
    case MS::InputType::Table:
      return std::is_same_v<Argument, WrittenValue> || IsRangeOfRows<Argument>();
  }
  return false;
}

// Returns whether each row of a table has a cell for each column. Any other argument has no rows.
template <typename Argument>
constexpr bool RowsHave(size_t columns) {
  if constexpr (kIsOptional<Argument>) {
    return RowsHave<typename Argument::value_type>(columns);
  } else if constexpr (IsRangeOfRows<Argument>()) {
    return columns == 0 || std::tuple_size<ElementOf<Argument>>::value == columns;
  } else {
    return true;
  }
}

// Returns the kind of a cell, which must suit the format of its column. AppendCell says which types of cells there are.
template <typename Cell>
constexpr uint32_t CellKind() {
  if constexpr (kIsOptional<Cell>) {
    return CellKind<typename Cell::value_type>();
  } else if constexpr (kIsUtf8Text<Cell>) {
    return GECKOPROF_FIELD_STRING;
  } else if constexpr (std::is_same_v<Cell, bool>) {
    return GECKOPROF_FIELD_BOOL;
  } else if constexpr (kIsDuration<Cell>) {
    return GECKOPROF_FIELD_NS;
  } else {
    return GECKOPROF_FIELD_DOUBLE;
  }
}

template <typename Row, size_t... kCells>
constexpr bool CellsSuit(MS::TableColumns columns, std::index_sequence<kCells...>) {
  return (FormatFits(CellKind<std::decay_t<std::tuple_element_t<kCells, Row>>>(), ToText(columns[kCells].Fmt)) && ...);
}

// Returns whether the viewer can show each cell of the rows in the format of its column.
// REQUIRES: RowsHave(columns.size()).
template <typename Argument>
constexpr bool CellsFit(MS::TableColumns columns) {
  if constexpr (kIsOptional<Argument>) {
    return CellsFit<typename Argument::value_type>(columns);
  } else if constexpr (IsRangeOfRows<Argument>()) {
    using Row = ElementOf<Argument>;
    return columns.empty() || CellsSuit<Row>(columns, std::make_index_sequence<std::tuple_size<Row>::value>());
  } else {
    return true;
  }
}

// The compiler reports one of these messages for an argument that does not fit into its field.
template <MS::InputType kType, bool kFits>
constexpr bool CheckFits() {
  constexpr bool kIsInteger = kType == MS::InputType::Uint64 || kType == MS::InputType::Uint32 ||
                              kType == MS::InputType::Uint8 || kType == MS::InputType::Int64 ||
                              kType == MS::InputType::Int32 || kType == MS::InputType::Int8;
  static_assert(kFits || !kIsInteger,
                "a PayloadField of an integer InputType takes integers and enumerators of up to 64 bits");
  static_assert(kFits || kType != MS::InputType::Double, "a PayloadField of InputType::Double takes numbers");
  static_assert(kFits || kType != MS::InputType::Boolean, "a PayloadField of InputType::Boolean takes a bool");
  static_assert(kFits || kType != MS::InputType::CString,
                "a PayloadField of InputType::CString takes UTF-8 text: for UTF-16 declare InputType::String");
  static_assert(kFits || kType != MS::InputType::String,
                "a PayloadField of InputType::String takes text, UTF-8 or UTF-16");
  static_assert(kFits || kType != MS::InputType::TimeStamp, "a PayloadField of InputType::TimeStamp takes a TimeStamp");
  static_assert(kFits || kType != MS::InputType::TimeDuration,
                "a PayloadField of InputType::TimeDuration takes a TimeDuration or a std::chrono::duration");
  static_assert(kFits || kType != MS::InputType::Flow, "a PayloadField of InputType::Flow takes a Flow");
  static_assert(
      kFits || kType != MS::InputType::StringList,
      "a PayloadField of InputType::StringList takes a range of UTF-8 texts, const, that can be walked twice");
  static_assert(
      kFits || kType != MS::InputType::Table,
      "a PayloadField of InputType::Table takes a range of tuples, one for each row, const, that can be walked twice");
  return kFits;
}

template <typename Type, size_t kField, typename Argument>
constexpr bool FitsField() {
  using Value = Plain<Argument>;
  if constexpr (kIsNullopt<Value>) {
    return true;
  } else if constexpr (kIsOptional<Value>) {
    return Fits<InputOf(FieldAt<Type>(kField)), typename Value::value_type>();
  } else {
    return Fits<InputOf(FieldAt<Type>(kField)), Value>();
  }
}

// Returns whether a field takes an argument. The compiler's message names the type, the number of its field (kField,
// and the first is 0) and the type of the argument.
template <typename Type, size_t kField, typename Argument>
constexpr bool AcceptsArgument() {
  using Value = Plain<Argument>;
  constexpr bool kIsOptionalField = Has(FieldAt<Type>(kField).Flags, MS::PayloadFlags::Optional);
  constexpr bool kMayBeMissing = kIsNullopt<Value> || kIsOptional<Value>;
  constexpr bool kRowsFit = RowsHave<Value>(FieldAt<Type>(kField).Columns.size());
  constexpr bool kCellsFit = CellsFit<Value>(kRowsFit ? FieldAt<Type>(kField).Columns : MS::TableColumns());
  static_assert(kRowsFit, "each row of a table has one cell for each of its Columns");
  static_assert(kCellsFit, "a cell of a table does not suit the format of its column");
  static_assert(kIsOptionalField || !kMayBeMissing,
                "an optional argument needs PayloadFlags::Optional in its PayloadField");
  constexpr bool kFits = CheckFits<InputOf(FieldAt<Type>(kField)), FitsField<Type, kField, Argument>()>();
  return kFits && kRowsFit && kCellsFit && (kIsOptionalField || !kMayBeMissing);
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_ARGUMENT_TYPES_H_
