// What a marker's macro and profiler_add_marker have in common: from arguments to geckoprof_base_add_marker.
//
// A stack that is captured on the way begins with the function that marks, whatever the compiler inlines: all of this
// is part of that function, but for AddByPieces, which is one frame, and AddDefaultByPieces, on whose way none is
// captured.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_ADD_MARKER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_ADD_MARKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/argument_types.h"
#include "baseprofiler/detail/marker_name.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/older_type_description.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/payload_arguments.h"
#include "baseprofiler/detail/payload_in_place.h"
#include "baseprofiler/detail/type_writer.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

#define GECKOPROF_IN_MARKING_FUNCTION_ __attribute__((always_inline)) inline

GECKOPROF_IN_MARKING_FUNCTION_ bool AddPieces(geckoprof_marker_site& site, const MarkerName& name,
                                              uint32_t category_pair, const MarkerOptions& options,
                                              const geckoprof_piece* pieces, uint32_t piece_count, bool was_cut,
                                              uint32_t skipped_frames = 0) {
  SetNameOfSite(site, name);
  const MarkerTiming timing = options.Timing();
  geckoprof_marker_options given{};
  given.size_bytes = sizeof given;
  given.phase = timing.phase;
  given.start = timing.start.time();
  given.end = timing.end.time();
  if (name.is_own) {
    given.name = name.text.data();
    given.name_bytes = name.text.size();
  }
  given.category_pair = options.HasCategory() ? baseprofiler::ToCategoryPair(options.Category()) : category_pair;
  given.thread = options.ThreadId().tid();
  given.flags = (was_cut || name.was_cut ? GECKOPROF_MARKER_WAS_CUT : 0) |
                (name.is_own || options.HasCategory() ? GECKOPROF_MARKER_HAS_CATEGORY : 0) | options.Stack().flags() |
                options.Flow().flags();
  given.skipped_frames = skipped_frames;
  given.stack = options.Stack().stored();
  given.flow = options.Flow().id();
  return geckoprof_base_add_marker(&site, &given, pieces, piece_count) == 0;
}

template <typename Type, typename Sink, size_t... kIndices, typename... Arguments>
void AddAll(Sink& sink, std::index_sequence<kIndices...>, const Arguments&... arguments) {
  (AddField<Type, kIndices>(sink, arguments), ...);
}

// The one field of such a type is a text that is always there.
template <typename Type>
constexpr bool IsOneText() {
  const auto& fields = TypeLists<Type>::kFields;
  return fields.size() == 1 && fields[0].kind == GECKOPROF_FIELD_STRING &&
         (fields[0].flags & GECKOPROF_FIELD_OPTIONAL) == 0;
}

// A short payload is written where it is to lie. False: not so this one.
template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddInPlace(geckoprof_marker_site& site, const MarkerOptions& options,
                                               const Arguments&... arguments) {
  if (!options.IsPlain()) return false;
  if constexpr (IsOneText<Type>() && (StringLike<Arguments> && ...)) {
    const std::string_view text(arguments...);
    if (options.IsTimingUnspecified()) return geckoprof_base_add_text_now(&site, text.data(), text.size()) != 0;
    const MarkerTiming timing = options.Timing();
    return geckoprof_base_add_text(&site, timing.phase, timing.start.time(), timing.end.time(), text.data(),
                                   text.size()) != 0;
  }
  constexpr auto kIndices = std::index_sequence_for<Arguments...>();
  PayloadSize size;
  AddAll<Type>(size, kIndices, arguments...);
  if (size.bytes() > GECKOPROF_MOST_BYTES_IN_PLACE) return false;
  const MarkerTiming timing = options.Timing();
  void* const to = geckoprof_base_begin_in_place(&site, timing.phase, timing.start.time(), timing.end.time(),
                                                 static_cast<uint32_t>(size.bytes()));
  if (to == nullptr) return false;
  PayloadInPlace payload(to);
  AddAll<Type>(payload, kIndices, arguments...);
  geckoprof_base_end_in_place();
  return true;
}

// Where the quick way is not taken, copies of name and options go on: so these are in no memory where it is.

// Without a payload.
GECKOPROF_IN_MARKING_FUNCTION_ bool AddUntyped(geckoprof_marker_site& site, const MarkerName& name,
                                               uint32_t category_pair, const MarkerOptions& options) {
  const bool may_be_quick = !name.is_own && options.IsPlain();
  if (may_be_quick) {
    SetNameOfSite(site, name);
    if (options.IsTimingUnspecified()) return geckoprof_base_add_instant_now(&site) == 0;
    const MarkerTiming timing = options.Timing();
    if (timing.phase == 0) return geckoprof_base_add_instant(&site, timing.start.time()) == 0;
    if (timing.phase == 1) return geckoprof_base_add_scope(&site, timing.start.time(), timing.end.time()) == 0;
    if (geckoprof_base_begin_in_place(&site, timing.phase, timing.start.time(), timing.end.time(), 0) != nullptr) {
      geckoprof_base_end_in_place();
      return true;
    }
  }
  return AddPieces(site, name, category_pair, Copy(options), nullptr, 0, false);
}

// A text or list takes the fields of fixed size before it along, and after the last there may be more.
template <typename Type>
constexpr size_t PieceCount() {
  size_t count = 1;
  for (const geckoprof_marker_field& field : TypeLists<Type>::kFields) {
    count += field.kind == GECKOPROF_FIELD_STRING || field.kind == GECKOPROF_FIELD_VALUE ? 2 : 0;
  }
  return count;
}

// Small ones by their values, for the same reason as the copies.
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
  return AddPieces(site, name, category_pair, options, pieces, payload.piece_count(), payload.was_cut(), 1);
}

// The same without options. A function that marks has then no room to make for them.
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
    if (!name.is_own && !name.was_cut && AddInPlace<Type>(site, options, arguments...)) return true;
  }
  const bool is_default = !name.is_own && !name.was_cut && options.IsDefault();
  if (__builtin_constant_p(is_default) && is_default) {
    return AddDefaultByPieces<Type, Arguments...>(site, name.literal, category_pair, arguments...);
  }
  return AddByPieces<Type, Arguments...>(site, Copy(name), category_pair, Copy(options), arguments...);
}

// A text as long as it is now: it is looked at twice, and another thread may change it.
template <typename Argument>
decltype(auto) AsSettled(const Argument& argument) {
  if constexpr (StringLike<Argument>) {
    return std::string_view(MarkerText(argument));
  } else if constexpr (IsOptional<Argument>::value) {
    if constexpr (StringLike<typename Argument::value_type>) {
      return argument.has_value() ? std::optional<std::string_view>(MarkerText(*argument)) : std::nullopt;
    } else {
      return (argument);
    }
  } else {
    return (argument);
  }
}

template <typename Type>
constexpr size_t FieldCount() {
  return TypeLists<Type>::kFields.size();
}

template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddDeclared(geckoprof_marker_site& site, const MarkerName& name,
                                                uint32_t category_pair, const MarkerOptions& options,
                                                const Arguments&... arguments) {
  static_assert(FieldCount<Type>() == sizeof...(Arguments),
                "a marker takes one argument for each of its type's PayloadFields, in their order");
  if constexpr (sizeof...(Arguments) == 0) {
    return AddUntyped(site, name, category_pair, options);
  } else if constexpr (FieldCount<Type>() != sizeof...(Arguments)) {
    return false;
  } else if constexpr (TakesAll<Type, Arguments...>(std::index_sequence_for<Arguments...>())) {
    return AddFields<Type>(site, name, category_pair, options, AsSettled(arguments)...);
  } else {
    return false;
  }
}

// What a type that writes itself wrote. `skipped_frames`: as for AddPieces.
template <typename Type>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddWritten(geckoprof_marker_site& site, const MarkerName& name,
                                               uint32_t category_pair, const MarkerOptions& options,
                                               const geckoprof_piece& piece, uint32_t skipped_frames = 0) {
  if constexpr (!WritesFields<Type>) {
    geckoprof_marker_type* const type = OlderTypeOf<Type>();
    if (type == nullptr) return geckoprof_base_add_marker(nullptr, nullptr, nullptr, 0) == 0;  // counts a bad-marker
    SetAtSite(site.type, type);
  }
  if (piece.size_bytes != 0) return AddPieces(site, name, category_pair, options, &piece, 1, false, skipped_frames);
  geckoprof_base_count_too_large();
  return false;
}

// What a type writes itself. Apart, as it takes some KiB of the stack, which a function that marks shall not have while
// nothing is recorded.
template <typename Type, typename... Arguments>
__attribute__((noinline)) bool AddByWriting(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair,
                                            const MarkerOptions& options, const Arguments&... arguments) {
  baseprofiler::SpliceableJSONWriter writer;
  CountedUnlessWhole writing;
  Type::StreamJSONMarkerData(writer, WithoutNull(arguments)...);
  writing.is_whole = true;
  return AddWritten<Type>(site, name, category_pair, options, writer.Finish(), 1);
}

template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool AddTyped(geckoprof_marker_site& site, const MarkerName& name,
                                             uint32_t category_pair, const MarkerOptions& options,
                                             const Arguments&... arguments) {
  if constexpr (WritesItself<Type>) {
    return AddByWriting<Type>(site, Copy(name), category_pair, Copy(options), arguments...);
  } else {
    static_assert(
        !requires { &Type::StreamJSONMarkerData; },
        "a type that has StreamJSONMarkerData needs MarkerTypeName and MarkerTypeDisplay, too");
    return AddDeclared<Type>(site, name, category_pair, options, arguments...);
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_ADD_MARKER_H_
