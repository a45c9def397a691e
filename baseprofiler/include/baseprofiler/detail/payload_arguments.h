// Functions that write the arguments of a marker. The payload is written field by field to a sink, which is a Payload,
// a PayloadInPlace or a PayloadSize. StreamJSONMarkerDataImpl writes the fields of a type to a SpliceableJSONWriter.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/argument_types.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

// Returns false if there is no room.
template <typename Sink, typename Cell>
bool AppendCell(Sink& sink, const Cell& cell) {
  if constexpr (kIsOptional<Cell>) {
    return cell.has_value() ? AppendCell(sink, *cell) : sink.AppendTag(GECKOPROF_VALUE_NULL);
  } else if constexpr (kIsUtf8Text<Cell>) {
    return sink.AppendText(MarkerText(cell));
  } else if constexpr (std::is_same_v<Cell, bool>) {
    return sink.AppendTag(cell ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
  } else if constexpr (kIsDuration<Cell>) {
    return sink.AppendDouble(TickIn<typename Cell::period, 1000>::Convert(static_cast<double>(cell.count())));
  } else if constexpr (std::is_enum_v<Cell>) {
    return AppendCell(sink, static_cast<std::underlying_type_t<Cell>>(cell));
  } else if constexpr (std::is_integral_v<Cell> && sizeof(Cell) <= sizeof(uint64_t)) {
    const bool is_beyond_int = std::is_unsigned_v<Cell> && static_cast<uint64_t>(cell) > uint64_t{INT64_MAX};
    return is_beyond_int ? sink.AppendUint(static_cast<uint64_t>(cell)) : sink.AppendInt(static_cast<int64_t>(cell));
  } else {
    static_assert(std::is_arithmetic_v<Cell>,
                  "a table's cell is a string, a number, a bool, a duration, or an optional of these");
    return sink.AppendDouble(static_cast<double>(cell));
  }
}

template <typename Sink, typename Row, size_t... kCells>
bool AppendCells(Sink& sink, const Row& row, std::index_sequence<kCells...>) {
  using std::get;  // C++17 finds a function template by the type of its argument only if the name is visible.
  return sink.AppendRow(sizeof...(kCells)) && (AppendCell(sink, get<kCells>(row)) && ...);
}
template <typename Sink, typename Row>
bool AppendCells(Sink& sink, const Row& row) {
  return AppendCells(sink, row, std::make_index_sequence<std::tuple_size<Row>::value>());
}

template <typename Range, typename = void>
inline constexpr bool kHasDistance = false;
template <typename Range>
inline constexpr bool kHasDistance<
    Range, std::void_t<decltype(std::end(std::declval<const Range&>()) - std::begin(std::declval<const Range&>()))>> =
    std::is_integral_v<decltype(std::end(std::declval<const Range&>()) - std::begin(std::declval<const Range&>()))>;

// The end of the range may be of another type than its begin.
template <typename Range>
size_t LengthOf(const Range& range) {
  if constexpr (kHasDistance<Range>) {
    return static_cast<size_t>(std::end(range) - std::begin(range));
  } else {
    size_t count = 0;
    for (auto at = std::begin(range); at != std::end(range); ++at) ++count;
    return count;
  }
}

template <typename Sink, typename Range, typename Append>
void AddList(Sink& sink, const Range& range, const Append& append) {
  auto at = std::begin(range);
  sink.List(LengthOf(range), [&](size_t) { return append(*at++); });
}

// Returns a duration in ns. A duration that is too long becomes the longest. A duration that is not finite becomes
// none.
template <typename Duration>
constexpr int64_t ToFieldNs(const Duration& duration) {
  using Tick = TickIn<typename Duration::period, 1'000'000'000>;
  constexpr int64_t kLongest = INT64_MAX;
  if constexpr (std::is_integral_v<typename Duration::rep> && Tick::kDenominator == 1 && Tick::kNumerator != 0) {
    int64_t ns = 0;
    const bool is_too_long = __builtin_mul_overflow(duration.count(), Tick::kNumerator, &ns) || ns == GECKOPROF_NS_NONE;
    return !is_too_long ? ns : duration.count() < 0 ? -kLongest : kLongest;
  } else {
    const double count = static_cast<double>(duration.count());
    if (!(count <= DBL_MAX && count >= -DBL_MAX)) return GECKOPROF_NS_NONE;
    const double ns = Tick::Convert(count);
    constexpr double kLimit = 9.2e18;
    return ns > kLimit ? kLongest : ns < -kLimit ? -kLongest : static_cast<int64_t>(ns);
  }
}

// Returns a zero of the declared type.
template <MS::InputType kType>
constexpr auto ZeroOf() {
  if constexpr (kType == MS::InputType::Uint64) return uint64_t{0};
  if constexpr (kType == MS::InputType::Uint32) return uint32_t{0};
  if constexpr (kType == MS::InputType::Uint8) return uint8_t{0};
  if constexpr (kType == MS::InputType::Int64) return int64_t{0};
  if constexpr (kType == MS::InputType::Int32) return int32_t{0};
  if constexpr (kType == MS::InputType::Int8) return int8_t{0};
}

// Returns a number in 64 bits with the sign of the field's type, even if that type has no room for it. A negative
// number for an unsigned field (-1 as Uint8) becomes the result of an assignment to that type, as in Firefox. A number
// above INT64_MAX for a signed field becomes INT64_MAX.
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

// Writes one argument, which fits, in the form of its field.
template <MS::InputType kType, typename Sink, typename Argument>
void AddValue(Sink& sink, const Argument& argument) {
  using Value = Plain<Argument>;
  if constexpr (kType == MS::InputType::CString || kType == MS::InputType::String) {
    if constexpr (kIsUtf8Text<Value>) {
      sink.Text(argument);
    } else {
      sink.Text(sink.ToUtf8(argument));
    }
  } else if constexpr (std::is_same_v<Value, WrittenValue>) {
    sink.Written(argument);
  } else if constexpr (kType == MS::InputType::StringList) {
    AddList(sink, argument, [&](const auto& text) { return sink.AppendText(MarkerText(text)); });
  } else if constexpr (kType == MS::InputType::Table) {
    AddList(sink, argument, [&](const auto& row) { return AppendCells(sink, row); });
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
  if constexpr (kIsNullopt<Argument>) {
    sink.Byte(0);
  } else if constexpr (kIsOptional<Plain<Argument>>) {
    sink.Byte(argument.has_value() ? 1 : 0);
    if (argument.has_value()) AddValue<kType>(sink, *argument);
  } else {
    if constexpr (Has(FieldAt<Type>(kField).Flags, MS::PayloadFlags::Optional)) sink.Byte(1);
    AddValue<kType>(sink, argument);
  }
}

// ElementSink passes the cells of a table to a SpliceableJSONWriter.
template <typename Writer>
struct ElementSink {
  Writer& writer;
  bool AppendText(std::string_view text) { return writer.StringElement(text), true; }
  bool AppendInt(int64_t number) { return writer.IntElement(number), true; }
  bool AppendUint(uint64_t number) { return writer.UintElement(number), true; }
  bool AppendDouble(double number) { return writer.DoubleElement(number), true; }
  bool AppendTag(geckoprof_value_tag tag) {
    if (tag == GECKOPROF_VALUE_NULL) {
      writer.NullElement();
    } else {
      writer.BoolElement(tag == GECKOPROF_VALUE_TRUE);
    }
    return true;
  }
  bool AppendRow(size_t) { return true; }
};

template <MS::InputType kType, typename Writer, typename Argument>
void WriteField(Writer& writer, const char* key, const Argument& argument) {
  if constexpr (kIsNullopt<Argument>) {
    // There is no property.
  } else if constexpr (kIsOptional<Argument>) {
    if (argument.has_value()) WriteField<kType>(writer, key, *argument);
  } else {
    static_assert(CheckFits<kType, Fits<kType, Argument>()>());
    if constexpr (kIsUtf8Text<Argument>) {
      writer.StringProperty(key, MarkerText(argument));
    } else if constexpr (kType == MS::InputType::String) {
      writer.StringProperty(key, std::u16string_view(argument));
    } else if constexpr (kType == MS::InputType::StringList || kType == MS::InputType::Table) {
      ElementSink<Writer> sink{writer};
      writer.StartArrayProperty(key);
      for (const auto& element : argument) {
        if constexpr (kType == MS::InputType::StringList) {
          writer.StringElement(MarkerText(element));
        } else {
          writer.StartArrayElement();
          AppendCells(sink, element);
          writer.EndArray();
        }
      }
      writer.EndArray();
    } else if constexpr (kType == MS::InputType::Boolean) {
      writer.BoolProperty(key, argument);
    } else if constexpr (kType == MS::InputType::TimeStamp) {
      writer.TimeProperty(key, argument);
    } else if constexpr (kType == MS::InputType::TimeDuration) {
      constexpr double kNsPerMs = 1e6;
      const int64_t ns = ToFieldNs(argument);
      ns == GECKOPROF_NS_NONE ? writer.NullProperty(key)
                              : writer.DoubleProperty(key, static_cast<double>(ns) / kNsPerMs);
    } else if constexpr (kType == MS::InputType::Flow) {
      writer.FlowProperty(key, argument);
    } else if constexpr (kType == MS::InputType::Double) {
      writer.DoubleProperty(key, static_cast<double>(argument));
    } else {
      const auto number = AsField<decltype(ZeroOf<kType>())>(argument);
      if constexpr (std::is_unsigned_v<decltype(ZeroOf<kType>())>) {
        writer.UintProperty(key, number);
      } else {
        writer.IntProperty(key, number);
      }
    }
  }
}

template <typename Type, typename Writer, size_t... kIndices, typename... Arguments>
void WriteEach(Writer& writer, std::index_sequence<kIndices...>, const Arguments&... arguments) {
  (WriteField<InputOf(FieldAt<Type>(kIndices))>(writer, FieldAt<Type>(kIndices).Key, arguments), ...);
}

template <typename Type, typename Writer, typename... Arguments>
void WriteFields(Writer& writer, const Arguments&... arguments) {
  if constexpr (kHasPayloadFields<Type>) {
    static_assert(std::size(Type::PayloadFields) == sizeof...(Arguments),
                  "StreamJSONMarkerDataImpl takes one argument for each of the type's PayloadFields, in their order");
    WriteEach<Type>(writer, std::index_sequence_for<Arguments...>(), arguments...);
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PAYLOAD_ARGUMENTS_H_
