// The markers of scopes, which are recorded at the end of the scope.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/detail/argument_types.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/payload_arguments.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

// AutoScope records the interval of a scope, without a payload.
class AutoScope {
 public:
  explicit AutoScope(geckoprof_marker_site& site)
      : site_(site), start_(geckoprof_base_wants_markers() != 0 ? geckoprof_base_time() : 0) {}
  ~AutoScope() {
    if (start_ == 0) return;
    geckoprof_base_begin_in_place(&site_, GECKOPROF_MARKER_INTERVAL | GECKOPROF_MARKER_NOW, start_, 0, 0);
  }
  AutoScope(const AutoScope&) = delete;
  AutoScope& operator=(const AutoScope&) = delete;

 private:
  geckoprof_marker_site& site_;
  const geckoprof_time start_;
};

inline constexpr size_t kMaxNameBytes = 400;

// NameCopy holds the name of a scope's marker if the site does not have it.
template <bool kHasName>
class NameCopy {
 public:
  explicit NameCopy(std::string_view name) : name_(copy_.Copy(name)) {}
  std::string_view text() const { return name_; }

 private:
  ValueScratch<kMaxNameBytes + 1> copy_;  // One byte more, so that a name that is cut is counted.
  const std::string_view name_;
};
template <>
class NameCopy<false> {
 public:
  explicit NameCopy(std::string_view) {}
  std::string_view text() const { return {}; }
};

inline constexpr size_t kCopiedTextBytes = 1024;  // The room for all texts of a scope's marker.

// CopyRoom is the memory for copies. Texts do not take room from lists.
template <typename... Arguments>
struct CopyRoom {
  ValueScratch<(MayBeUtf8Text<Arguments>() || ...) ? kCopiedTextBytes : 1> texts;
  ValueScratch<AnyNeedsScratch<Arguments...>() ? kScratchBytes : 1> lists;  // Lists, tables and UTF-16.
};

// ListSink copies a list or a table.
template <typename Scratch>
struct ListSink {
  Scratch& scratch;
  WrittenValue value;

  template <typename Append>
  void List(size_t size, const Append& append) {
    static constexpr uint8_t kEmpty[] = {GECKOPROF_VALUE_ARRAY, 0};
    const uint8_t* const begin = scratch.AppendList(size, append);
    value = begin == nullptr ? WrittenValue{kEmpty, sizeof kEmpty}
                             : WrittenValue{begin, static_cast<size_t>(scratch.at(scratch.used()) - begin)};
  }
  bool AppendText(std::string_view text) { return scratch.AppendText(text); }
  bool AppendInt(int64_t number) { return scratch.AppendInt(number); }
  bool AppendUint(uint64_t number) { return scratch.AppendUint(number); }
  bool AppendDouble(double number) { return scratch.AppendDouble(number); }
  bool AppendTag(geckoprof_value_tag tag) { return scratch.AppendTag(tag); }
  bool AppendRow(size_t cells) { return scratch.AppendRow(cells); }
};

template <MS::InputType kType, typename Room, typename Argument>
auto CopyArgument(Room& room, const Argument& argument) {
  if constexpr (kIsOptional<Argument>) {
    using Value = decltype(CopyArgument<kType>(room, *argument));
    return argument.has_value() ? std::optional<Value>(CopyArgument<kType>(room, *argument)) : std::optional<Value>();
  } else if constexpr (kIsUtf8Text<Argument>) {
    return room.texts.Copy(MarkerText(argument));
  } else if constexpr (kType == MS::InputType::String && Fits<kType, Argument>()) {
    return room.lists.ToUtf8(argument);
  } else if constexpr ((kType == MS::InputType::StringList || kType == MS::InputType::Table) &&
                       Fits<kType, Argument>()) {
    ListSink<decltype(room.lists)> sink{room.lists, {}};
    AddValue<kType>(sink, argument);
    return sink.value;
  } else {
    return argument;  // It is a number, std::nullopt, or a mistake that AcceptsArgument reports.
  }
}

template <size_t kIndex, typename Value>
struct IndexedCopy {
  const Value value;
};
template <typename Indices, typename... Values>
struct IndexedCopies;
template <size_t... kIndices, typename... Values>
struct IndexedCopies<std::index_sequence<kIndices...>, Values...> : IndexedCopy<kIndices, Values>... {};
template <size_t kIndex, typename Value>
constexpr const Value& ValueAt(const IndexedCopy<kIndex, Value>& copy) {
  return copy.value;
}

// ArgumentCopies holds copies of the arguments of a type whose fields are declared. Texts and lists lie in room_.
template <typename Type, typename... Arguments>
class ArgumentCopies {
 public:
  static constexpr bool kIsWritten = false;

  explicit ArgumentCopies(const Arguments&... arguments)
      : ArgumentCopies(std::index_sequence_for<Arguments...>(), arguments...) {}
  bool was_cut() const { return room_.texts.was_cut() || room_.lists.was_cut(); }
  template <size_t kIndex>
  const auto& Argument() const {
    return ValueAt<kIndex>(copies_);
  }

 private:
  using Room = CopyRoom<Arguments...>;

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
  explicit ArgumentCopies(std::index_sequence<kIndices...>, const Arguments&... arguments)
      : copies_{{CopyArgument<InputAt<kIndices>()>(room_, arguments)}...} {}

  template <typename Indices>
  struct CopyTypes;
  template <size_t... kIndices>
  struct CopyTypes<std::index_sequence<kIndices...>> {
    using Copies = IndexedCopies<std::index_sequence<kIndices...>,
                                 decltype(CopyArgument<InputAt<kIndices>()>(std::declval<Room&>(),
                                                                            std::declval<const Arguments&>()))...>;
  };

  Room room_;
  const typename CopyTypes<std::index_sequence_for<Arguments...>>::Copies copies_;
};

// WrittenArguments holds the payload of a type that writes itself.
template <typename Type, typename... Arguments>
class WrittenArguments {
 public:
  static constexpr bool kIsWritten = true;

  explicit WrittenArguments(const Arguments&... arguments) {
    InterruptedWriteCounter writing;
    Type::StreamJSONMarkerData(writer_, WithoutNull(arguments)...);
    writing.is_complete = true;
  }
  bool was_cut() const { return false; }
  geckoprof_piece Finish() { return writer_.Finish(); }

 private:
  baseprofiler::SpliceableJSONWriter writer_;
};

struct NotRecording {};

// ScopeTag passes the type of a marker, and whether its name is a literal, to the constructor of AutoMarker.
template <typename Type, bool kIsLiteral>
struct ScopeTag {};

// AutoMarker holds copies of the arguments of a scope's marker from the begin of the scope. The marker is recorded at
// its end. The object has 1 KiB for texts and 2 KiB for lists if there are any, and 6 KiB for a type that writes
// itself. It is empty if no markers were recorded at the begin.
template <typename Type, bool kHasOwnName, typename... Arguments>
class AutoMarker {
 public:
  AutoMarker(NotRecording) {}  // NOLINT: implicit, for the other branch of a ?:
  template <typename Name>
  GECKOPROF_IN_MARKING_FUNCTION_ AutoMarker(ScopeTag<Type, !kHasOwnName>, geckoprof_marker_site& site, const Name& name,
                                            MarkerOptions&& options, const Arguments&... arguments)
      : site_(&site) {
    const MarkerName marker_name = NameOf<!kHasOwnName>(name);
    SetNameOfSite(site, marker_name);
    State* const state = new (&state_) State(std::move(options), marker_name, arguments...);
    state->options.BeginScope();
  }
  GECKOPROF_IN_MARKING_FUNCTION_ ~AutoMarker() {  // A captured stack begins with the function of the scope.
    if (site_ == nullptr) return;
    if (geckoprof_base_wants_markers() != 0) {
      state_.options.EndScope();
      Add();
    }
    state_.~State();
  }
  AutoMarker(const AutoMarker&) = delete;
  AutoMarker& operator=(const AutoMarker&) = delete;

 private:
  using Copies =
      std::conditional_t<kWritesItself<Type>, WrittenArguments<Type, Arguments...>, ArgumentCopies<Type, Arguments...>>;
  struct State {
    State(MarkerOptions&& given, const MarkerName& name, const Arguments&... arguments)
        : options(std::move(given)), own_name(name.text), copies(arguments...) {}
    MarkerOptions options;
    NameCopy<kHasOwnName> own_name;
    Copies copies;
  };

  GECKOPROF_IN_MARKING_FUNCTION_ void Add() {
    const MarkerName name = {state_.own_name.text(), kHasOwnName, state_.copies.was_cut()};
    if constexpr (Copies::kIsWritten) {
      AddWritten<Type>(*site_, name, site_->category_pair, state_.options, state_.copies.Finish());
    } else {
      AddCopies(name, std::index_sequence_for<Arguments...>());
    }
  }
  template <size_t... kIndices>
  GECKOPROF_IN_MARKING_FUNCTION_ void AddCopies(const MarkerName& name, std::index_sequence<kIndices...>) {
    AddDeclared<Type>(*site_, name, site_->category_pair, state_.options,
                      state_.copies.template Argument<kIndices>()...);
  }

  geckoprof_marker_site* const site_ = nullptr;
  union {
    State state_;
  };
};

template <typename Type, bool kIsLiteral, typename Name, typename... Arguments>
AutoMarker(ScopeTag<Type, kIsLiteral>, geckoprof_marker_site&, const Name&, MarkerOptions&&, const Arguments&...)
    -> AutoMarker<Type, !kIsLiteral, Arguments...>;

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_
