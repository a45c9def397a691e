// Which arguments a field takes, and what the compiler says of others.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_ARGUMENT_TYPES_H_
#define GECKOPROF_BASEPROFILER_DETAIL_ARGUMENT_TYPES_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/field_kinds.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/schema_words.h"
#include "baseprofiler/detail/type_checks.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

template <typename Argument>
struct IsOptional : std::false_type {};
template <typename Argument>  // or what is derived from one
requires std::derived_from<Argument, std::optional<typename Argument::value_type>>
struct IsOptional<Argument> : std::true_type {
};

template <typename Argument>
struct IsCharSpan : std::false_type {};
template <typename Element, size_t kExtent>
struct IsCharSpan<std::span<Element, kExtent>> : std::is_same<const Element, const char> {};

// What a MarkerText is made of.
template <typename Argument>
concept StringLike = std::convertible_to<const Argument&, std::string_view> || IsCharSpan<Argument>::value;
template <typename Argument>
concept Utf16Like = std::convertible_to<const Argument&, std::u16string_view>;
// UTF-16 texts and lists cannot stay where they are.
template <typename Argument>
constexpr bool NeedsScratch() {
  using Plain = std::remove_cvref_t<Argument>;
  if constexpr (IsOptional<Plain>::value) {
    return NeedsScratch<typename Plain::value_type>();
  } else {
    return !StringLike<Plain> && (Utf16Like<Plain> || requires(const Plain& text) { std::begin(text); });
  }
}
template <typename... Arguments>
constexpr bool AnyNeedsScratch() {
  return (NeedsScratch<Arguments>() || ...);
}

template <typename Argument>
struct IsChronoDuration : std::false_type {};
template <typename Rep, typename Period>
struct IsChronoDuration<std::chrono::duration<Rep, Period>> : std::true_type {};
template <>
struct IsChronoDuration<TimeDuration> : std::true_type {};

// Of a range that is there after it was counted.
template <typename Iterator>
concept MultiPass = std::forward_iterator<Iterator> ||
    std::is_convertible_v<typename std::iterator_traits<Iterator>::iterator_category, std::forward_iterator_tag>;

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
      return StringLike<Argument>;
    case MS::InputType::String:
      return StringLike<Argument> || Utf16Like<Argument>;
    case MS::InputType::TimeStamp:
      return std::is_same_v<Argument, TimeStamp>;
    case MS::InputType::TimeDuration:
      return IsChronoDuration<Argument>::value;
    case MS::InputType::Flow:
      return std::is_same_v<Argument, Flow>;
    case MS::InputType::StringList:
      return std::is_same_v<Argument, WrittenValue> || requires(const Argument& list) {
        requires StringLike<std::decay_t<decltype(*std::begin(list))>>;
        requires MultiPass<decltype(std::begin(list))>;
      };
    case MS::InputType::Table:
      return std::is_same_v<Argument, WrittenValue> || requires(const Argument& rows) {
        std::tuple_size<std::decay_t<decltype(*std::begin(rows))>>::value;
        requires MultiPass<decltype(std::begin(rows))>;
      };
  }
  return false;
}

// A table's rows have a cell for each column; anything else has none.
template <typename Argument>
constexpr bool RowsHave(size_t columns) {
  if constexpr (IsOptional<Argument>::value) {
    return RowsHave<typename Argument::value_type>(columns);
  } else if constexpr (!std::is_same_v<Argument, WrittenValue> && Fits<MS::InputType::Table, Argument>()) {
    return columns == 0 ||
           std::tuple_size<std::decay_t<decltype(*std::begin(std::declval<const Argument&>()))>>() == columns;
  } else {
    return true;
  }
}

// A cell's kind, as its column's format is checked against. PutCell says what cells there are.
template <typename Cell>
constexpr uint32_t CellKind() {
  if constexpr (IsOptional<Cell>::value) {
    return CellKind<typename Cell::value_type>();
  } else if constexpr (StringLike<Cell>) {
    return GECKOPROF_FIELD_STRING;
  } else if constexpr (std::is_same_v<Cell, bool>) {
    return GECKOPROF_FIELD_BOOL;
  } else if constexpr (IsChronoDuration<Cell>::value) {
    return GECKOPROF_FIELD_NS;
  } else {
    return GECKOPROF_FIELD_DOUBLE;
  }
}

template <typename Row, size_t... kCells>
constexpr bool CellsSuit(std::span<const MS::TableColumn> columns, std::index_sequence<kCells...>) {
  return (FormatFits(CellKind<std::decay_t<std::tuple_element_t<kCells, Row>>>(), ToText(columns[kCells].Fmt)) && ...);
}

// Whether the viewer can show each cell of the rows as its column says. REQUIRES: RowsHave(columns.size()).
template <typename Argument>
constexpr bool CellsFit(std::span<const MS::TableColumn> columns) {
  if constexpr (IsOptional<Argument>::value) {
    return CellsFit<typename Argument::value_type>(columns);
  } else if constexpr (!std::is_same_v<Argument, WrittenValue> && Fits<MS::InputType::Table, Argument>()) {
    using Row = std::decay_t<decltype(*std::begin(std::declval<const Argument&>()))>;
    return columns.empty() || CellsSuit<Row>(columns, std::make_index_sequence<std::tuple_size<Row>::value>());
  } else {
    return true;
  }
}

// What the compiler says of an argument that does not go into a field of this type. Each message names the types that
// do.
template <MS::InputType kType, bool kFits>
constexpr bool SaysWhatFits() {
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

// What stands for no value, in an optional field.
template <typename Argument>
constexpr bool kIsNothing = std::is_same_v<std::remove_cvref_t<Argument>, std::nullopt_t>;

template <typename Type, size_t kField, typename Argument>
constexpr bool IsTaken() {
  using Plain = std::remove_cvref_t<Argument>;
  if constexpr (kIsNothing<Plain>) {
    return true;
  } else if constexpr (IsOptional<Plain>::value) {
    return Fits<InputOf(FieldAt<Type>(kField)), typename Plain::value_type>();
  } else {
    return Fits<InputOf(FieldAt<Type>(kField)), Plain>();
  }
}

// Whether an argument goes into its field. The compiler's message names what it is about: the type, which of its
// PayloadFields (kField, the first is 0) and the argument's type.
template <typename Type, size_t kField, typename Argument>
constexpr bool Takes() {
  using Plain = std::remove_cvref_t<Argument>;
  constexpr bool kIsOptional = Has(FieldAt<Type>(kField).Flags, MS::PayloadFlags::Optional);
  constexpr bool kMayBeMissing = kIsNothing<Plain> || IsOptional<Plain>::value;
  constexpr bool kRowsFit = RowsHave<Plain>(FieldAt<Type>(kField).Columns.size());
  constexpr bool kCellsFit =
      CellsFit<Plain>(kRowsFit ? FieldAt<Type>(kField).Columns : std::span<const MS::TableColumn>());
  static_assert(kRowsFit, "each row of a table has one cell for each of its Columns");
  static_assert(kCellsFit, "a cell of a table does not suit the format of its column");
  static_assert(kIsOptional || !kMayBeMissing, "an optional argument needs PayloadFlags::Optional in its PayloadField");
  constexpr bool kIsTaken = SaysWhatFits<InputOf(FieldAt<Type>(kField)), IsTaken<Type, kField, Argument>()>();
  return kIsTaken && kRowsFit && kCellsFit && (kIsOptional || !kMayBeMissing);
}

template <typename Type, typename... Arguments, size_t... kIndices>
constexpr bool TakesAll(std::index_sequence<kIndices...>) {
  return (Takes<Type, kIndices, Arguments>() && ...);
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_ARGUMENT_TYPES_H_
