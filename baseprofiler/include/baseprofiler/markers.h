// Markers with payloads, for programs that link or preload the base library. Names follow Firefox. The macros are the
// same in C++17 and C++20.
//
//   PROFILER_MARKER_UNTYPED("Frame", GRAPHICS);                                       an instant, now
//   AUTO_PROFILER_MARKER_UNTYPED("Layout", OTHER);                                    this scope, the fastest of all
//   PROFILER_MARKER_TEXT("Loaded", STORAGE, MarkerTiming::IntervalUntilNowFrom(start), path);
//   PROFILER_MARKER_FMT("Loaded", STORAGE, {}, "{} of {} files", done, all);           see formatted_markers.h
//   PROFILER_MARKER("Load", STORAGE, {}, Load, path, bytes);             a type of the program, see marker_schema.h
//   profiler_add_marker(name, MarkerCategory::STORAGE, {MarkerThreadId::MainThread()}, Load{}, path, bytes);
//
// While nothing is recorded, a macro costs a relaxed load and a branch, and evaluates nothing. No heap is used. A text
// is cut at 4,096 bytes, and counted as text-cut. A marker that is larger than a chunk is dropped, and counted as
// too-large. A marker of a signal handler that interrupted a marker of the same thread is dropped, and counted as
// nested-marker.
//
// Threads: any. Context: any, signal context included.
#ifndef GECKOPROF_BASEPROFILER_MARKERS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_H_

#include <cstdint>
#include <optional>

#include "baseprofiler/category.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/marker_types.h"
#if GECKOPROF_IS_ENABLED_
#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/detail/auto_marker.h"
#else
#include "baseprofiler/detail/disabled_markers.h"
#endif

namespace geckoprof {

using MarkerCategory = baseprofiler::Category;

}  // namespace geckoprof

// PROFILER_MARKER finds the types of this namespace without qualification (firefox_names.h).
namespace geckoprofiler::markers {}

// Returns whether markers are recorded now. It is a relaxed load. A program may test it before it prepares costly
// values.
inline bool profiler_is_collecting_markers() { return geckoprof_base_wants_markers() != 0; }
inline bool profiler_can_accept_markers() { return geckoprof_base_wants_markers() != 0; }

#if GECKOPROF_IS_ENABLED_

// Adds a marker of any name. False: nothing is recorded, or the marker was dropped and counted.
template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool profiler_add_marker(geckoprof::MarkerText name, geckoprof::MarkerCategory category,
                                                        const geckoprof::MarkerOptions& options, Type,
                                                        const Arguments&... arguments) {
  if (geckoprof_base_wants_markers() == 0) return false;
  return geckoprof::internal::AddTyped<Type>(geckoprof::internal::g_nameless_site<Type>, {name, true},
                                             geckoprof::baseprofiler::ToCategoryPair(category), options, arguments...);
}

// The same without a payload.
GECKOPROF_IN_MARKING_FUNCTION_ bool profiler_add_marker(geckoprof::MarkerText name, geckoprof::MarkerCategory category,
                                                        const geckoprof::MarkerOptions& options = {}) {
  if (geckoprof_base_wants_markers() == 0) return false;
  return geckoprof::internal::AddPieces(geckoprof::internal::g_nameless_site<geckoprof::internal::NoPayload>,
                                        {name, true}, geckoprof::baseprofiler::ToCategoryPair(category), options,
                                        nullptr, 0);
}

// Adds a marker of an allocation, with the caller's stack. A negative size says that memory was freed. The program
// calls it from its own allocator, for any part of the allocations. False: as above. While nothing is recorded, it
// costs a load and a branch.
GECKOPROF_IN_MARKING_FUNCTION_ bool profiler_add_native_allocation_marker(int64_t size_bytes, uintptr_t address) {
  if (geckoprof_base_wants_markers() == 0) return false;
  using geckoprof::MarkerThreadId;
  return profiler_add_marker("Native allocation", geckoprof::MarkerCategory::OTHER, geckoprof::MarkerStack::Capture(),
                             geckoprof::markers::NativeAllocation{}, size_bytes, std::optional<uint64_t>(address),
                             std::optional<int64_t>(MarkerThreadId::CurrentThread().tid()));
}

// A name that is written as a literal belongs to the site. Any other name is stored with each marker.
#define GECKOPROF_IS_LITERAL_(name) (::geckoprof::internal::IsSpelledAsLiteral(#name))
#define GECKOPROF_CATEGORY_PAIR_(category) \
  ::geckoprof::baseprofiler::ToCategoryPair(::geckoprof::MarkerCategory::category)
// The reference `site` refers to the site that all markers of one place share. Its name has a number, because the
// arguments of a marker may contain another marker. OfThisFile is described in language.h.
#define GECKOPROF_MARKER_SITE_(site, category, name, type)                                                            \
  geckoprof_marker_site& site = [](auto) -> geckoprof_marker_site& {                                                  \
    static GECKOPROF_CONSTINIT_ geckoprof_marker_site of_place = {sizeof(geckoprof_marker_site),                      \
                                                                  GECKOPROF_CATEGORY_PAIR_(category), name, type, 0}; \
    return of_place;                                                                                                  \
  }(::geckoprof::internal::OfThisFile())
#define GECKOPROF_NAME_(name) ::geckoprof::internal::NameOf<GECKOPROF_IS_LITERAL_(name)>(name)

// In C++17, the `...` of a macro needs an argument, and there is no __VA_OPT__. The macros below therefore take their
// last fixed argument into the `...`. Each passes it on with an empty argument at the end, so the inner macro has an
// argument for its own `...`. The comma before the empty argument stays at the end of a list in braces.

// PROFILER_MARKER_UNTYPED(name, category[, options]) records a marker without a payload.
#define PROFILER_MARKER_UNTYPED(name, ...) \
  GECKOPROF_MARKER_UNTYPED_(GECKOPROF_CONCAT_(geckoprof_site_, __COUNTER__), name, __VA_ARGS__, )
#define GECKOPROF_MARKER_UNTYPED_(site, name, category, ...)                                                \
  do {                                                                                                      \
    if (geckoprof_base_wants_markers() != 0) {                                                              \
      GECKOPROF_MARKER_SITE_(site, category, nullptr, nullptr);                                             \
      ::geckoprof::internal::UntypedMarker{site, GECKOPROF_NAME_(name), GECKOPROF_CATEGORY_PAIR_(category), \
                                           __VA_ARGS__};                                                    \
    }                                                                                                       \
  } while (false)

// PROFILER_MARKER(name, category, options, type[, arguments...]) records a marker with a payload.
#define PROFILER_MARKER(name, category, options, ...) \
  GECKOPROF_MARKER_TYPED_(GECKOPROF_CONCAT_(geckoprof_site_, __COUNTER__), name, category, options, __VA_ARGS__, )
#define GECKOPROF_MARKER_TYPED_(site, name, category, options, Type, ...)                                       \
  do {                                                                                                          \
    if (geckoprof_base_wants_markers() != 0) {                                                                  \
      static_assert(sizeof(#Type) > 1,                                                                          \
                    "after its options, a marker takes its type; PROFILER_MARKER_UNTYPED has none");            \
      using namespace ::geckoprofiler::markers; /* NOLINT */                                                    \
      GECKOPROF_MARKER_SITE_(site, category, nullptr, ::geckoprof::internal::ConstantTypeOf<Type>());           \
      ::geckoprof::internal::TypedMarker<Type>{site, GECKOPROF_NAME_(name), GECKOPROF_CATEGORY_PAIR_(category), \
                                               ::geckoprof::MarkerOptions(options), __VA_ARGS__};               \
    }                                                                                                           \
  } while (false)

// The third argument, and a comma if no argument is given.
#define GECKOPROF_THIRD_(first, second, third, ...) third
#define GECKOPROF_COMMA_(...) ,

// AUTO_PROFILER_MARKER_UNTYPED(name, category[, options]) marks the rest of the scope. `name` must be a literal.
// Without options it is the fastest. With options it is an AUTO_PROFILER_MARKER without a payload.
#define AUTO_PROFILER_MARKER_UNTYPED(name, ...)                                              \
  GECKOPROF_THIRD_(__VA_ARGS__, GECKOPROF_AUTO_SCOPE_WITH_OPTIONS_, GECKOPROF_AUTO_SCOPE_, ) \
  (__COUNTER__, name, __VA_ARGS__)
#define GECKOPROF_AUTO_SCOPE_WITH_OPTIONS_(number, name, category, options) \
  GECKOPROF_NUMBERED_MARKER_(number, name, category, options, ::geckoprof::internal::NoPayload, )
#define GECKOPROF_AUTO_SCOPE_(number, name, category) GECKOPROF_NUMBERED_SCOPE_(number, name, category)
#define GECKOPROF_NUMBERED_SCOPE_(number, name, category)                                                      \
  GECKOPROF_SCOPE_SITE_(number, category, "" name, nullptr);                                                   \
  static_assert(GECKOPROF_IS_LITERAL_(name), "the name of an AUTO_PROFILER_MARKER_UNTYPED must be a literal"); \
  const ::geckoprof::internal::AutoScope geckoprof_scope_##number(geckoprof_site_##number)
// After an `if` without braces, the first declaration would be the whole body. The compiler's message then has the name
// of the enumeration.
#define GECKOPROF_SCOPE_SITE_(number, category, name, type)                     \
  enum class a_scope_marker_needs_a_block_of_its_own_##number{};                \
  static_assert(sizeof(a_scope_marker_needs_a_block_of_its_own_##number) != 0); \
  GECKOPROF_MARKER_SITE_(geckoprof_site_##number, category, name, type)

// AUTO_PROFILER_MARKER(name, category[, options, type, arguments...]) marks the rest of the scope, with a payload.
// Without a type it is a StackMarker. Options and arguments are evaluated at the begin of the scope, and their values
// are kept. Texts have room for 1,024 bytes together, and lists for 2,048. Every cut is counted. The marker is an
// interval. It begins at the time in the options, or else at the begin of the scope.
//
// The type is the third argument after the name. GECKOPROF_COMMA_ type () is a comma if there is no type.
#define AUTO_PROFILER_MARKER(name, ...) \
  GECKOPROF_AUTO_MARKER_FORM_(GECKOPROF_COMMA_ GECKOPROF_THIRD_(__VA_ARGS__, , , )())(__COUNTER__, name, __VA_ARGS__, )
#define GECKOPROF_AUTO_MARKER_FORM_(comma) \
  GECKOPROF_EXPANDED_THIRD_(comma, GECKOPROF_AUTO_MARKER_, GECKOPROF_AUTO_MARKER_TYPED_, )
#define GECKOPROF_EXPANDED_THIRD_(...) GECKOPROF_THIRD_(__VA_ARGS__)
#define GECKOPROF_AUTO_MARKER_(number, name, category, ...) \
  GECKOPROF_NUMBERED_MARKER_(number, name, category, {}, ::geckoprof::markers::StackMarker, )
#define GECKOPROF_AUTO_MARKER_TYPED_(number, name, category, options, ...) \
  GECKOPROF_NUMBERED_MARKER_(number, name, category, options, __VA_ARGS__)
#define GECKOPROF_NUMBERED_MARKER_(number, name, category, options, Type, ...)                                      \
  GECKOPROF_SCOPE_SITE_(number, category, nullptr, ::geckoprof::internal::ConstantTypeOf<Type>());                  \
  const auto geckoprof_marker_##number =                                                                            \
      geckoprof_base_wants_markers() != 0                                                                           \
          ? ::geckoprof::internal::AutoMarker{::geckoprof::internal::ScopeTag<Type, GECKOPROF_IS_LITERAL_(name)>(), \
                                              geckoprof_site_##number, name, ::geckoprof::MarkerOptions(options),   \
                                              __VA_ARGS__}                                                          \
          : ::geckoprof::internal::NotRecording()

#else

#define PROFILER_MARKER_UNTYPED(name, ...) GECKOPROF_NOTHING_
#define PROFILER_MARKER(name, category, options, ...) GECKOPROF_NOTHING_
#define AUTO_PROFILER_MARKER_UNTYPED(name, ...) GECKOPROF_NOTHING_
#define AUTO_PROFILER_MARKER(name, ...) GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#define PROFILER_MARKER_TEXT(name, category, options, text) \
  PROFILER_MARKER(name, category, options, ::geckoprof::markers::Text, text)
#define AUTO_PROFILER_FLOW_MARKER(name, category, flow) \
  AUTO_PROFILER_MARKER(name, category, {}, ::geckoprof::markers::FlowMarker, flow)
#define AUTO_PROFILER_TERMINATING_FLOW_MARKER(name, category, flow) \
  AUTO_PROFILER_MARKER(name, category, {}, ::geckoprof::markers::TerminatingFlowMarker, flow)
#define AUTO_PROFILER_TRACING_MARKER(type, name, category) \
  AUTO_PROFILER_MARKER(name, category, {}, ::geckoprof::markers::Tracing, type)
#define AUTO_PROFILER_MARKER_TEXT(name, category, options, text) \
  AUTO_PROFILER_MARKER(name, category, options, ::geckoprof::markers::Text, text)

#include "baseprofiler/formatted_markers.h"  // IWYU pragma: export

#endif  // GECKOPROF_BASEPROFILER_MARKERS_H_
