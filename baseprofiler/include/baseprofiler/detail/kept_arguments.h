// What a marker is given, kept until it is recorded.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_KEPT_ARGUMENTS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_KEPT_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/detail/argument_types.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/payload_arguments.h"
#include "baseprofiler/detail/value_scratch.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

inline constexpr size_t kKeptTextBytes = 1024;  // of all texts together

template <typename Argument>
constexpr bool NeedsCopy() {
  if constexpr (IsOptional<Argument>::value) {
    return NeedsCopy<typename Argument::value_type>();
  } else {
    return StringLike<Argument>;
  }
}

// Where copies lie: what texts take is not taken from lists.
template <typename... Arguments>
struct KeptRoom {
  ValueScratch<(NeedsCopy<Arguments>() || ...) ? kKeptTextBytes : 1> texts;
  ValueScratch<AnyNeedsScratch<Arguments...>() ? kScratchBytes : 1> lists;  // tables, and UTF-16
};

// Of lists and tables.
template <typename Scratch>
struct ListSink {
  Scratch& scratch;
  WrittenValue value;

  template <typename Put>
  void List(size_t size, const Put& put) {
    static constexpr uint8_t kEmpty[] = {GECKOPROF_VALUE_ARRAY, 0};
    const uint8_t* const begin = scratch.PutList(size, put);
    value = begin == nullptr ? WrittenValue{kEmpty, sizeof kEmpty}
                             : WrittenValue{begin, static_cast<size_t>(scratch.at(scratch.used()) - begin)};
  }
  bool PutText(std::string_view text) { return scratch.PutText(text); }
  bool PutInt(int64_t number) { return scratch.PutInt(number); }
  bool PutUint(uint64_t number) { return scratch.PutUint(number); }
  bool PutDouble(double number) { return scratch.PutDouble(number); }
  bool PutTag(geckoprof_value_tag tag) { return scratch.PutTag(tag); }
  bool PutRow(size_t cells) { return scratch.PutRow(cells); }
};

template <MS::InputType kType, typename Room, typename Argument>
auto Keep(Room& room, const Argument& argument) {
  if constexpr (IsOptional<Argument>::value) {
    using Value = decltype(Keep<kType>(room, *argument));
    return argument.has_value() ? std::optional<Value>(Keep<kType>(room, *argument)) : std::optional<Value>();
  } else if constexpr (StringLike<Argument>) {
    return room.texts.Copy(MarkerText(argument));
  } else if constexpr (!Fits<kType, Argument>()) {
    return argument;  // nothing at all, or Takes says what is wrong
  } else if constexpr (kType == MS::InputType::String) {
    return room.lists.ToUtf8(argument);
  } else if constexpr (kType == MS::InputType::StringList || kType == MS::InputType::Table) {
    ListSink<decltype(room.lists)> sink{room.lists, {}};
    AddValue<kType>(sink, argument);
    return sink.value;
  } else {
    return argument;
  }
}

// KeptArguments: those of a type whose fields are declared, each as it was: a copy, or for texts and lists one in
// room_.
template <typename Type, typename... Arguments>
class KeptArguments {
 public:
  static constexpr bool kIsWritten = false;

  explicit KeptArguments(const Arguments&... arguments)
      : KeptArguments(std::index_sequence_for<Arguments...>(), arguments...) {}
  bool was_cut() const { return room_.texts.was_cut() || room_.lists.was_cut(); }
  template <size_t kIndex>
  const auto& Argument() const {
    return std::get<kIndex>(kept_);
  }

 private:
  using Room = KeptRoom<Arguments...>;

  template <size_t kIndex>
  static constexpr MS::InputType InputAt() {
    static_assert(FieldCount<Type>() == sizeof...(Arguments),
                  "a marker takes one argument for each of its type's PayloadFields, in their order");
    if constexpr (kIndex < FieldCount<Type>()) {
      return InputOf(FieldAt<Type>(kIndex));
    } else {
      return MS::InputType::Int64;
    }
  }
  template <size_t... kIndices>
  explicit KeptArguments(std::index_sequence<kIndices...>, const Arguments&... arguments)
      : kept_{Keep<InputAt<kIndices>()>(room_, arguments)...} {}

  template <typename Indices>
  struct TupleOf;
  template <size_t... kIndices>
  struct TupleOf<std::index_sequence<kIndices...>> {
    using Kept =
        std::tuple<decltype(Keep<InputAt<kIndices>()>(std::declval<Room&>(), std::declval<const Arguments&>()))...>;
  };

  Room room_;
  const typename TupleOf<std::index_sequence_for<Arguments...>>::Kept kept_;
};

// Of a type that writes itself: what it wrote.
template <WritesItself Type, typename... Arguments>
class KeptArguments<Type, Arguments...> {
 public:
  static constexpr bool kIsWritten = true;

  explicit KeptArguments(const Arguments&... arguments) {
    CountedUnlessWhole writing;
    Type::StreamJSONMarkerData(writer_, WithoutNull(arguments)...);
    writing.is_whole = true;
  }
  bool was_cut() const { return false; }
  geckoprof_piece Finish() { return writer_.Finish(); }

 private:
  baseprofiler::SpliceableJSONWriter writer_;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_KEPT_ARGUMENTS_H_
