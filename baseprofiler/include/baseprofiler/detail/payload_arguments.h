// The arguments of a marker, field by field, into what its payload is written with: Payload, or PayloadInPlace.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

template <typename Argument>
struct IsOptional : std::false_type {};
template <typename Value>
struct IsOptional<std::optional<Value>> : std::true_type {};

template <typename Argument>
concept StringLike = std::convertible_to<const Argument&, std::string_view>;
template <typename Argument>
concept Utf16Like = std::convertible_to<const Argument&, std::u16string_view>;
template <typename Argument>
struct IsChronoDuration : std::false_type {};
template <typename Rep, typename Period>
struct IsChronoDuration<std::chrono::duration<Rep, Period>> : std::true_type {};

template <MS::InputType kType, typename Argument>
constexpr bool Fits() {
  switch (kType) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return (std::is_integral_v<Argument> && !std::is_same_v<Argument, bool>) || std::is_enum_v<Argument>;
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
      return requires(const Argument& list) { requires StringLike<std::decay_t<decltype(*std::begin(list))>>; };
    case MS::InputType::Table:
      return requires(const Argument& rows) { std::tuple_size<std::decay_t<decltype(*std::begin(rows))>>::value; };
  }
  return false;
}

// False: there is no room.
template <typename Sink, typename Cell>
bool PutCell(Sink& sink, const Cell& cell) {
  if constexpr (IsOptional<Cell>::value) {
    return cell.has_value() ? PutCell(sink, *cell) : sink.PutTag(GECKOPROF_VALUE_NULL);
  } else if constexpr (StringLike<Cell>) {
    return sink.PutText(cell);
  } else if constexpr (std::is_same_v<Cell, bool>) {
    return sink.PutTag(cell ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
  } else if constexpr (IsChronoDuration<Cell>::value) {
    return sink.PutDouble(std::chrono::duration<double, std::milli>(cell).count());
  } else if constexpr (std::is_enum_v<Cell> || (std::is_integral_v<Cell> && !std::is_same_v<Cell, uint64_t>)) {
    return sink.PutInt(static_cast<int64_t>(cell));
  } else {
    static_assert(std::is_arithmetic_v<Cell>,
                  "a table's cell is a string, a number, a bool, a duration, or an optional");
    const bool is_int = std::is_integral_v<Cell> && cell <= static_cast<Cell>(INT64_MAX);
    return is_int ? sink.PutInt(static_cast<int64_t>(cell)) : sink.PutDouble(static_cast<double>(cell));
  }
}

template <typename Sink, typename Row>
bool PutCells(Sink& sink, const Row& row) {
  return std::apply(
      [&](const auto&... cells) { return sink.PutRow(sizeof...(cells)) && (PutCell(sink, cells) && ...); }, row);
}

template <typename Sink, typename Range, typename Put>
void AddList(Sink& sink, const Range& range, const Put& put) {
  auto at = std::begin(range);
  sink.List(static_cast<size_t>(std::distance(at, std::end(range))), [&](size_t) { return put(*at++); });
}

// Writes one argument as its field wants it. Sink: Payload, or PayloadInPlace.
template <MS::InputType kType, typename Sink, typename Argument>
void AddValue(Sink& sink, const Argument& argument) {
  using Plain = std::decay_t<Argument>;
  static_assert(Fits<kType, Plain>(), "this argument's type does not fit the InputType of its PayloadField");
  if constexpr (kType == MS::InputType::CString || kType == MS::InputType::String) {
    if constexpr (StringLike<Plain>) {
      sink.Text(argument);
    } else {
      sink.Text(sink.ToUtf8(argument));
    }
  } else if constexpr (kType == MS::InputType::StringList) {
    AddList(sink, argument, [&](const auto& text) { return sink.PutText(text); });
  } else if constexpr (kType == MS::InputType::Table) {
    AddList(sink, argument, [&](const auto& row) { return PutCells(sink, row); });
  } else if constexpr (kType == MS::InputType::Boolean) {
    sink.Byte(argument ? 1 : 0);
  } else if constexpr (kType == MS::InputType::Double) {
    sink.Number(static_cast<double>(argument));
  } else if constexpr (kType == MS::InputType::TimeStamp) {
    sink.Number(argument.time());
  } else if constexpr (kType == MS::InputType::TimeDuration) {
    sink.Number(static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(argument).count()));
  } else if constexpr (kType == MS::InputType::Flow) {
    sink.Number(argument.id());
  } else if constexpr (ToKind(kType) == GECKOPROF_FIELD_UINT64) {
    sink.Number(static_cast<uint64_t>(argument));
  } else {
    sink.Number(static_cast<int64_t>(argument));
  }
}

// A table's rows have a cell for each column; anything else has none.
template <typename Argument>
constexpr bool RowsHave(size_t columns) {
  if constexpr (IsOptional<Argument>::value) {
    return RowsHave<typename Argument::value_type>(columns);
  } else if constexpr (Fits<MS::InputType::Table, Argument>()) {
    return columns == 0 ||
           std::tuple_size<std::decay_t<decltype(*std::begin(std::declval<const Argument&>()))>>() == columns;
  } else {
    return true;
  }
}

template <MS::InputType kType, bool kIsOptional, size_t kColumns, typename Sink, typename Argument>
void AddField(Sink& sink, const Argument& argument) {
  static_assert(RowsHave<std::decay_t<Argument>>(kColumns), "each row of a table has one cell for each of its Columns");
  if constexpr (IsOptional<std::decay_t<Argument>>::value) {
    static_assert(kIsOptional, "an optional argument needs PayloadFlags::Optional in its PayloadField");
    sink.Byte(argument.has_value() ? 1 : 0);
    if (argument.has_value()) AddValue<kType>(sink, *argument);
  } else {
    if constexpr (kIsOptional) sink.Byte(1);
    AddValue<kType>(sink, argument);
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_
