// These functions pass the arguments of a marker, from a macro or profiler_add_marker, to the functions of
// marker_abi.h.
//
//   AddTyped --> AddDeclared --> AddFields --> AddInPlace                a short payload and no options but the timing
//            |                             `-> AddByPieces --> AddPieces
//            `-> AddByWriting --> AddWritten ----------------> AddPieces     a type that writes itself
//   AddUntyped ------------------------------> AddInPlace, AddPieces     no payload
//
// A stack that is captured on the way begins with the function that marks, whatever the compiler inlines. For that, all
// of this is part of that function, with two exceptions. AddByPieces is one frame, which the captured stack skips. No
// stack is captured on the way of AddDefaultByPieces.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_ADD_MARKER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_ADD_MARKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/argument_types.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/payload_arguments.h"
#include "baseprofiler/detail/runtime_type_description.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

#define GECKOPROF_IN_MARKING_FUNCTION_ __attribute__((always_inline)) inline

// MarkerName is the name of a marker. It belongs to the marker's site, or to the marker alone.
struct MarkerName {
  MarkerText text;
  bool is_own = true;             // the site has no name
  bool was_cut = false;           // a text of the marker was cut earlier
  const char* literal = nullptr;  // the name of the site, which may not have it yet; null: the site has it
};

// Several threads may be at the place, and each sets the same value.
template <typename Value>
void SetAtSite(Value*& member, std::remove_reference_t<Value>* value) {
  if (__atomic_load_n(&member, __ATOMIC_RELAXED) == nullptr) __atomic_store_n(&member, value, __ATOMIC_RELAXED);
}
// The site needs its name before it is first used.
inline void SetNameOfSite(geckoprof_marker_site& site, const MarkerName& name) {
  if (name.literal != nullptr) SetAtSite(site.name, name.literal);
}

// Returns a copy. A value that the compiler knows is made anew, since compilers do not take a copy apart.
__attribute__((always_inline)) inline MarkerName Copy(const MarkerName& name) {
  const bool is_of_site = !name.is_own && !name.was_cut;
  return __builtin_constant_p(is_of_site) && is_of_site ? MarkerName{{}, false, false, name.literal} : MarkerName(name);
}

// Returns whether an expression, spelled out by #, consists of string literals alone: "load" or "lo" "ad". It returns
// false for "load " + path, and for "a"[0] == 'a' ? "b" : "c", which is an array, too.
constexpr bool IsSpelledAsLiteral(const char* spelling) {
  if (*spelling != '"') return false;
  bool is_inside = false;
  for (; *spelling != '\0'; ++spelling) {
    if (*spelling == '"') {
      is_inside = !is_inside;
    } else if (!is_inside && *spelling != ' ') {
      return false;
    } else if (*spelling == '\\') {
      ++spelling;
    }
  }
  return true;
}

// `kIsLiteral`: the spelling is a literal, so the site may have it.
template <bool kIsLiteral, typename Name>
MarkerName NameOf(const Name& name) {
  static_assert(!std::is_null_pointer_v<Name>, "the name of a marker is a text, not a null pointer");
  static_assert(std::is_null_pointer_v<Name> || !kIsUtf16Text<Name>,
                "the name of a marker is UTF-8; texts of its payload may be UTF-16");
  if constexpr (kIsLiteral) {
    return {{}, false, false, std::string_view(name).data()};
  } else if constexpr (std::is_constructible_v<MarkerText, const Name&>) {
    return {MarkerText(name), true};
  } else {
    static_assert(
        std::is_constructible_v<MarkerText, const Name&>,
        "the name of a marker is a UTF-8 text: a literal, a const char*, a std::string or a std::string_view");
    return {};
  }
}

// The phase and the times of a marker, as in geckoprof_marker_options.
struct MarkerWhen {
  uint32_t flags;
  geckoprof_time start;
  geckoprof_time time;
};

// The library reads the clock for a marker without a timing. A phase that does not exist becomes flags that the library
// refuses.
GECKOPROF_IN_MARKING_FUNCTION_ MarkerWhen GetWhen(const MarkerOptions& options) {
  if (options.IsTimingUnspecified()) return {GECKOPROF_MARKER_INSTANT | GECKOPROF_MARKER_NOW, 0, 0};
  if (options.EndsNow()) {
    return {GECKOPROF_MARKER_INTERVAL | GECKOPROF_MARKER_NOW, options.ScopeStart().time(), 0};
  }
  const MarkerTiming timing = options.Timing();
  const uint32_t phase = timing.phase <= GECKOPROF_MARKER_PHASE ? timing.phase : UINT32_MAX;
  return {phase, timing.start.time(), timing.end.time()};
}

// `more_flags`: GECKOPROF_MARKER_WAS_CUT or GECKOPROF_MARKER_IS_TOO_LARGE.
GECKOPROF_IN_MARKING_FUNCTION_ bool AddPieces(geckoprof_marker_site& site, const MarkerName& name,
                                              uint32_t category_pair, const MarkerOptions& options,
                                              const geckoprof_piece* pieces, uint32_t piece_count,
                                              uint32_t more_flags = 0, uint32_t skipped_frames = 0) {
  SetNameOfSite(site, name);
  const MarkerWhen when = GetWhen(options);
  geckoprof_marker_options given{};
  given.size_bytes = sizeof given;
  given.flags = when.flags | more_flags | (name.was_cut ? GECKOPROF_MARKER_WAS_CUT : 0) |
                (name.is_own || options.HasCategory() ? GECKOPROF_MARKER_HAS_CATEGORY : 0) | options.Stack().flags() |
                options.Flow().flags();
  given.start = when.start;
  given.time = when.time;
  if (name.is_own) {
    given.name = name.text.data();
    given.name_bytes = name.text.size();
  }
  given.thread = options.ThreadId().tid();
  given.category_pair = options.HasCategory() ? baseprofiler::ToCategoryPair(options.Category()) : category_pair;
  given.stack = options.Stack().stored();
  given.flow = options.Flow().id();
  given.skipped_frames = skipped_frames;
  return geckoprof_base_add_marker(&site, &given, pieces, piece_count) == 0;
}

template <typename Type, typename Sink, size_t... kIndices, typename... Arguments>
void AddAll(Sink& sink, std::index_sequence<kIndices...>, const Arguments&... arguments) {
  (AddField<Type, kIndices>(sink, arguments), ...);
}

// Writes the payload where it will lie. REQUIRES: the options have nothing but a timing, and the site has its name.
template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddInPlace(geckoprof_marker_site& site, const MarkerOptions& options,
                                               size_t payload_bytes, const Arguments&... arguments) {
  const MarkerWhen when = GetWhen(options);
  void* const to =
      geckoprof_base_begin_in_place(&site, when.flags, when.start, when.time, static_cast<uint32_t>(payload_bytes));
  if constexpr (sizeof...(Arguments) != 0) {
    if (to == nullptr) return false;
    PayloadInPlace payload(to);
    AddAll<Type>(payload, std::index_sequence_for<Arguments...>(), arguments...);
    geckoprof_base_end_in_place(0);
  }
  return to != nullptr;
}

// Functions out of line get copies of the name and the options. The compiler keeps these out of memory in the marking
// function then.

// A marker without a payload.
GECKOPROF_IN_MARKING_FUNCTION_ bool AddUntyped(geckoprof_marker_site& site, const MarkerName& name,
                                               uint32_t category_pair, const MarkerOptions& options) {
  if (name.is_own || !options.IsPlain()) return AddPieces(site, name, category_pair, Copy(options), nullptr, 0);
  SetNameOfSite(site, name);
  return AddInPlace<NoPayload>(site, options, 0);
}

// A text or list is a piece, and so are the fields of fixed size before it. More fields may follow the last text.
template <typename Type>
constexpr size_t PieceCount() {
  size_t count = 1;
  for (const geckoprof_marker_field& field : TypeLists<Type>::kFields) {
    count += field.kind == GECKOPROF_FIELD_STRING || field.kind == GECKOPROF_FIELD_VALUE ? 2 : 0;
  }
  return count;
}

// Small arguments are passed by value, for the same reason as the copies.
template <typename Argument>
constexpr bool kIsSmall =
    std::is_trivially_copyable_v<Argument> && !std::is_array_v<Argument> && sizeof(Argument) <= 2 * sizeof(void*);
template <typename Argument>
using Passed = std::conditional_t<kIsSmall<Argument>, const std::remove_volatile_t<Argument>, const Argument&>;

template <typename Type, typename... Arguments>
__attribute__((noinline)) bool AddByPieces(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair,
                                           const MarkerOptions& options, Passed<Arguments>... arguments) {
  Payload<sizeof...(Arguments), PieceCount<Type>(), AnyNeedsScratch<Arguments...>()> payload;
  AddAll<Type>(payload, std::index_sequence_for<Arguments...>(), arguments...);
  const geckoprof_piece* const pieces = payload.Finish();
  return AddPieces(site, name, category_pair, options, pieces, payload.piece_count(),
                   payload.was_cut() ? GECKOPROF_MARKER_WAS_CUT : 0, 1);
}

// The same without options. The marking function needs no room for them then.
template <typename Type, typename... Arguments>
__attribute__((noinline)) bool AddDefaultByPieces(geckoprof_marker_site& site, const char* literal,
                                                  uint32_t category_pair, Passed<Arguments>... arguments) {
  return AddByPieces<Type, Arguments...>(site, {{}, false, false, literal}, category_pair, MarkerOptions(),
                                         arguments...);
}

template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddFields(geckoprof_marker_site& site, const MarkerName& name,
                                              uint32_t category_pair, const MarkerOptions& options,
                                              const Arguments&... arguments) {
  if constexpr (!AnyNeedsScratch<Arguments...>()) {
    PayloadSize size;
    AddAll<Type>(size, std::index_sequence_for<Arguments...>(), arguments...);
    const bool is_plain = !name.is_own && !name.was_cut && options.IsPlain();
    if (is_plain && size.bytes() <= GECKOPROF_MOST_BYTES_IN_PLACE) {
      SetNameOfSite(site, name);
      return AddInPlace<Type>(site, options, size.bytes(), arguments...);
    }
  }
  const bool is_default = !name.is_own && !name.was_cut && options.IsDefault();
  if (__builtin_constant_p(is_default) && is_default) {
    return AddDefaultByPieces<Type, Arguments...>(site, name.literal, category_pair, arguments...);
  }
  return AddByPieces<Type, Arguments...>(site, Copy(name), category_pair, Copy(options), arguments...);
}

// Returns a text with the length that it has now. It is read twice, and another thread may change it.
template <typename Argument>
decltype(auto) WithFixedLength(const Argument& argument) {
  if constexpr (!MayBeUtf8Text<Argument>()) {
    return (argument);
  } else if constexpr (kIsOptional<Argument>) {
    return argument.has_value() ? std::optional<std::string_view>(MarkerText(*argument)) : std::nullopt;
  } else {
    return std::string_view(MarkerText(argument));
  }
}

template <typename Type>
constexpr size_t FieldCount() {
  return TypeLists<Type>::kFields.size();
}

template <typename Type, typename... Arguments, size_t... kIndices>
constexpr bool AcceptsEach(std::index_sequence<kIndices...>) {
  return (AcceptsArgument<Type, kIndices, Arguments>() && ...);
}

// Returns whether a type takes these arguments, one for each field.
template <typename Type, typename... Arguments>
constexpr bool AcceptsArguments() {
  if constexpr (FieldCount<Type>() == sizeof...(Arguments)) {
    return AcceptsEach<Type, Arguments...>(std::index_sequence_for<Arguments...>());
  } else {
    return false;
  }
}

template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddDeclared(geckoprof_marker_site& site, const MarkerName& name,
                                                uint32_t category_pair, const MarkerOptions& options,
                                                const Arguments&... arguments) {
  static_assert(FieldCount<Type>() == sizeof...(Arguments),
                "a marker takes one argument for each of its type's PayloadFields, in their order");
  if constexpr (sizeof...(Arguments) == 0) {
    return AddUntyped(site, name, category_pair, options);
  } else if constexpr (AcceptsArguments<Type, Arguments...>()) {
    return AddFields<Type>(site, name, category_pair, options, WithFixedLength(arguments)...);
  } else {
    return false;
  }
}

// Adds what a type wrote. `skipped_frames`: as for AddPieces.
template <typename Type>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddWritten(geckoprof_marker_site& site, const MarkerName& name,
                                               uint32_t category_pair, const MarkerOptions& options,
                                               const geckoprof_piece& piece, uint32_t skipped_frames = 0) {
  if constexpr (!kWritesFields<Type>) {
    geckoprof_marker_type* const type = RuntimeTypeOf<Type>();
    if (type == nullptr) return geckoprof_base_add_marker(nullptr, nullptr, nullptr, 0) == 0;  // counts a bad-marker
    SetAtSite(site.type, type);
  }
  const bool has_room = piece.size_bytes != 0;
  return AddPieces(site, name, category_pair, options, &piece, has_room ? 1 : 0,
                   has_room ? 0 : GECKOPROF_MARKER_IS_TOO_LARGE, skipped_frames);
}

// The type writes its payload. This is a function of its own because it takes some KiB of the stack. The marking
// function must not need them while nothing is recorded.
template <typename Type, typename... Arguments>
__attribute__((noinline)) bool AddByWriting(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair,
                                            const MarkerOptions& options, const Arguments&... arguments) {
  baseprofiler::SpliceableJSONWriter writer;
  InterruptedWriteCounter writing;
  Type::StreamJSONMarkerData(writer, WithoutNull(arguments)...);
  writing.is_complete = true;
  return AddWritten<Type>(site, name, category_pair, options, writer.Finish(), 1);
}

template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddTyped(geckoprof_marker_site& site, const MarkerName& name,
                                             uint32_t category_pair, const MarkerOptions& options,
                                             const Arguments&... arguments) {
  if constexpr (kWritesItself<Type>) {
    return AddByWriting<Type>(site, Copy(name), category_pair, Copy(options), arguments...);
  } else {
    static_assert(!kHasStreamFunction<Type>,
                  "a type that has StreamJSONMarkerData needs MarkerTypeName and MarkerTypeDisplay, too");
    return AddDeclared<Type>(site, name, category_pair, options, arguments...);
  }
}

// The constructors let a macro end its list of arguments with a comma, as in {site, name, pair, options, }. An empty
// list of arguments then needs no second macro.
struct UntypedMarker {
  GECKOPROF_IN_MARKING_FUNCTION_ UntypedMarker(geckoprof_marker_site& site, const MarkerName& name,
                                               uint32_t category_pair, const MarkerOptions& options = {}) {
    AddUntyped(site, name, category_pair, options);
  }
  template <typename First, typename Second, typename... Rest>
  GECKOPROF_IN_MARKING_FUNCTION_ UntypedMarker(geckoprof_marker_site& site, const MarkerName& name,
                                               uint32_t category_pair, const First& first, const Second& second,
                                               const Rest&... rest) {
    AddUntyped(site, name, category_pair, MarkerOptions(first, second, rest...));
  }
};

template <typename Type>
struct TypedMarker {
  template <typename... Arguments>
  GECKOPROF_IN_MARKING_FUNCTION_ TypedMarker(geckoprof_marker_site& site, const MarkerName& name,
                                             uint32_t category_pair, const MarkerOptions& options,
                                             const Arguments&... arguments) {
    AddTyped<Type>(site, name, category_pair, options, arguments...);
  }
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_ADD_MARKER_H_
