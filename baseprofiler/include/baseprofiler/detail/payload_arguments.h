// The arguments of a marker, field by field, into what its payload is written with: Payload, or PayloadInPlace.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ratio>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/argument_types.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

// False: there is no room.
template <typename Sink, typename Cell>
bool PutCell(Sink& sink, const Cell& cell) {
  if constexpr (IsOptional<Cell>::value) {
    return cell.has_value() ? PutCell(sink, *cell) : sink.PutTag(GECKOPROF_VALUE_NULL);
  } else if constexpr (StringLike<Cell>) {
    return sink.PutText(MarkerText(cell));
  } else if constexpr (std::is_same_v<Cell, bool>) {
    return sink.PutTag(cell ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
  } else if constexpr (IsChronoDuration<Cell>::value) {
    return sink.PutDouble(std::chrono::duration<double, std::milli>(cell).count());
  } else if constexpr (std::is_enum_v<Cell>) {
    return PutCell(sink, static_cast<std::underlying_type_t<Cell>>(cell));
  } else if constexpr (std::is_integral_v<Cell> && sizeof(Cell) <= sizeof(uint64_t)) {
    const bool is_beyond_int = std::is_unsigned_v<Cell> && static_cast<uint64_t>(cell) > uint64_t{INT64_MAX};
    return is_beyond_int ? sink.PutUint(static_cast<uint64_t>(cell)) : sink.PutInt(static_cast<int64_t>(cell));
  } else {
    static_assert(std::is_arithmetic_v<Cell>,
                  "a table's cell is a string, a number, a bool, a duration, or an optional of these");
    return sink.PutDouble(static_cast<double>(cell));
  }
}

template <typename Sink, typename Row>
bool PutCells(Sink& sink, const Row& row) {
  return std::apply(
      [&](const auto&... cells) { return sink.PutRow(sizeof...(cells)) && (PutCell(sink, cells) && ...); }, row);
}

// Its end may be a sentinel.
template <typename Range>
size_t LengthOf(const Range& range) {
  if constexpr (std::sized_sentinel_for<decltype(std::end(range)), decltype(std::begin(range))>) {
    return static_cast<size_t>(std::end(range) - std::begin(range));
  } else {
    size_t count = 0;
    for (auto at = std::begin(range); at != std::end(range); ++at) ++count;
    return count;
  }
}

template <typename Sink, typename Range, typename Put>
void AddList(Sink& sink, const Range& range, const Put& put) {
  auto at = std::begin(range);
  sink.List(LengthOf(range), [&](size_t) { return put(*at++); });
}

// In ns; what is too long for them is cut to the longest, what is not finite is none.
template <typename Rep, typename Period>
constexpr int64_t ToFieldNs(const std::chrono::duration<Rep, Period>& duration) {
  using InNs = std::ratio_divide<Period, std::nano>;
  constexpr int64_t kLongest = INT64_MAX;
  if constexpr (std::is_integral_v<Rep> && InNs::den == 1) {
    int64_t ns = 0;
    const bool is_too_long = __builtin_mul_overflow(duration.count(), InNs::num, &ns) || ns == GECKOPROF_NS_NONE;
    return !is_too_long ? ns : duration.count() < 0 ? -kLongest : kLongest;
  } else {
    const double ns = std::chrono::duration<double, std::nano>(duration).count();
    const double count = static_cast<double>(duration.count());
    if (!(count <= std::numeric_limits<double>::max() && count >= std::numeric_limits<double>::lowest())) {
      return GECKOPROF_NS_NONE;
    }
    constexpr double kLimit = 9.2e18;
    return ns > kLimit ? kLongest : ns < -kLimit ? -kLongest : static_cast<int64_t>(ns);
  }
}

// Of the type that is declared.
template <MS::InputType kType>
constexpr auto ZeroOf() {
  if constexpr (kType == MS::InputType::Uint64) return uint64_t{0};
  if constexpr (kType == MS::InputType::Uint32) return uint32_t{0};
  if constexpr (kType == MS::InputType::Uint8) return uint8_t{0};
  if constexpr (kType == MS::InputType::Int64) return int64_t{0};
  if constexpr (kType == MS::InputType::Int32) return int32_t{0};
  if constexpr (kType == MS::InputType::Int8) return int8_t{0};
}

// A number as 64 bits with the field's sign: whole even where the declared type has no room for it. One below zero for
// an unsigned field (-1 as Uint8) becomes what an assignment to that type makes of it, as in the original; one above
// INT64_MAX for a signed one becomes that.
template <typename Field, typename Argument>
constexpr auto AsField(Argument argument) {
  if constexpr (std::is_enum_v<Argument>) {
    return AsField<Field>(static_cast<std::underlying_type_t<Argument>>(argument));
  } else {
    using Wide = std::conditional_t<std::is_unsigned_v<Field>, uint64_t, int64_t>;
    const Wide wide = static_cast<Wide>(argument);
    if constexpr (std::is_unsigned_v<Field> == std::is_unsigned_v<Argument>) {
      return wide;
    } else if constexpr (std::is_unsigned_v<Field>) {
      return argument < 0 ? static_cast<Wide>(static_cast<Field>(argument)) : wide;
    } else {
      return wide < 0 ? INT64_MAX : wide;
    }
  }
}

// Writes one argument, which fits, as its field wants it. Sink: Payload, or PayloadInPlace.
template <MS::InputType kType, typename Sink, typename Argument>
void AddValue(Sink& sink, const Argument& argument) {
  using Plain = std::remove_cvref_t<Argument>;
  if constexpr (kType == MS::InputType::CString || kType == MS::InputType::String) {
    if constexpr (StringLike<Plain>) {
      sink.Text(argument);
    } else {
      sink.Text(sink.ToUtf8(argument));
    }
  } else if constexpr (std::is_same_v<Plain, WrittenValue>) {
    sink.Written(argument);
  } else if constexpr (kType == MS::InputType::StringList) {
    AddList(sink, argument, [&](const auto& text) { return sink.PutText(MarkerText(text)); });
  } else if constexpr (kType == MS::InputType::Table) {
    AddList(sink, argument, [&](const auto& row) { return PutCells(sink, row); });
  } else if constexpr (kType == MS::InputType::Boolean) {
    sink.Byte(argument ? 1 : 0);
  } else if constexpr (kType == MS::InputType::Double) {
    sink.Number(static_cast<double>(argument));
  } else if constexpr (kType == MS::InputType::TimeStamp) {
    sink.Number(argument.time());
  } else if constexpr (kType == MS::InputType::TimeDuration) {
    sink.Number(ToFieldNs(argument));
  } else if constexpr (kType == MS::InputType::Flow) {
    sink.Number(argument.id());
  } else {
    sink.Number(AsField<decltype(ZeroOf<kType>())>(argument));
  }
}

template <typename Type, size_t kField, typename Sink, typename Argument>
void AddField(Sink& sink, const Argument& argument) {
  constexpr MS::InputType kType = InputOf(FieldAt<Type>(kField));
  if constexpr (kIsNothing<Argument>) {
    sink.Byte(0);
  } else if constexpr (IsOptional<std::remove_cvref_t<Argument>>::value) {
    sink.Byte(argument.has_value() ? 1 : 0);
    if (argument.has_value()) AddValue<kType>(sink, *argument);
  } else {
    if constexpr (Has(FieldAt<Type>(kField).Flags, MS::PayloadFlags::Optional)) sink.Byte(1);
    AddValue<kType>(sink, argument);
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_
