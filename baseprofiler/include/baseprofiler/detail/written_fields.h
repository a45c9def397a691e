// StreamJSONMarkerDataImpl: the declared fields of a type that also writes itself, written as its description has them.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_WRITTEN_FIELDS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_WRITTEN_FIELDS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/payload_arguments.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

// A table's cell: as PutCell has it.
template <typename Writer>
struct ElementSink {
  Writer& writer;
  bool PutText(std::string_view text) { return writer.StringElement(text), true; }
  bool PutInt(int64_t number) { return writer.IntElement(number), true; }
  bool PutUint(uint64_t number) { return writer.UintElement(number), true; }
  bool PutDouble(double number) { return writer.DoubleElement(number), true; }
  bool PutTag(geckoprof_value_tag tag) {
    if (tag == GECKOPROF_VALUE_NULL) {
      writer.NullElement();
    } else {
      writer.BoolElement(tag == GECKOPROF_VALUE_TRUE);
    }
    return true;
  }
  bool PutRow(size_t) { return true; }
};

template <MS::InputType kType, typename Writer, typename Argument>
void WriteField(Writer& writer, const char* key, const Argument& argument) {
  if constexpr (kIsNothing<Argument>) {
    // A key that is not there.
  } else if constexpr (IsOptional<Argument>::value) {
    if (argument.has_value()) WriteField<kType>(writer, key, *argument);
  } else {
    static_assert(SaysWhatFits<kType, Fits<kType, Argument>()>());
    if constexpr (StringLike<Argument>) {
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
          PutCells(sink, element);
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
  if constexpr (requires { Type::PayloadFields; }) {
    static_assert(std::size(Type::PayloadFields) == sizeof...(Arguments),
                  "StreamJSONMarkerDataImpl takes one argument for each of the type's PayloadFields, in their order");
    WriteEach<Type>(writer, std::index_sequence_for<Arguments...>(), arguments...);
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_WRITTEN_FIELDS_H_
