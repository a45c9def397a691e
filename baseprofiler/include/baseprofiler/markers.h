// Markers with payloads, for all who link or preload the base library. Names follow the original's.
//
//   PROFILER_MARKER_UNTYPED("Frame", GRAPHICS);                                       an instant, now
//   AUTO_PROFILER_MARKER_UNTYPED("Layout", OTHER);                                    this scope: the fastest of all
//   PROFILER_MARKER_TEXT("Loaded", STORAGE, MarkerTiming::IntervalUntilNowFrom(start), path);
//   PROFILER_MARKER("Load", STORAGE, {}, Load, path, bytes);                          a type of one's own:
//   marker_schema.h profiler_add_marker(name, Category::STORAGE, {MarkerThreadId::MainThread()}, Load{}, path, bytes);
//
// While nothing is recorded a macro costs a relaxed load and a branch, and evaluates nothing. No heap is used. Texts
// are cut at 4,096 bytes (counted as text-cut); a marker that does not fit into a chunk is dropped (too-large). A
// marker of a signal handler that interrupted one of the same thread is dropped (nested-marker). Threads: any. Context:
// any, signal context included if the thread has marked before.
#ifndef GECKOPROF_BASEPROFILER_MARKERS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_H_

#include <string_view>

#include "baseprofiler/category.h"
#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/detail/auto_marker.h"
#include "baseprofiler/detail/auto_scope.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_types.h"

namespace geckoprof {

using MarkerCategory = baseprofiler::Category;

}  // namespace geckoprof

// Adds a marker under any name. False: nothing is recorded, or it was dropped (counted).
template <typename Type, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ bool profiler_add_marker(std::string_view name, geckoprof::MarkerCategory category,
                                                        const geckoprof::MarkerOptions& options, Type,
                                                        const Arguments&... arguments) {
  if (geckoprof_base_wants_markers() == 0) return false;
  return geckoprof::internal::AddTyped<Type>(geckoprof::internal::g_nameless_site<Type>, {name, true},
                                             geckoprof::baseprofiler::ToCategoryPair(category), options, arguments...);
}

// The same without a payload.
GECKOPROF_IN_MARKING_FUNCTION_ bool profiler_add_marker(std::string_view name, geckoprof::MarkerCategory category,
                                                        const geckoprof::MarkerOptions& options = {}) {
  if (geckoprof_base_wants_markers() == 0) return false;
  return geckoprof::internal::AddPieces(geckoprof::internal::g_nameless_site<geckoprof::internal::NoPayload>,
                                        {name, true}, geckoprof::baseprofiler::ToCategoryPair(category), options,
                                        nullptr, 0, false);
}

// A name that is written as a literal belongs to the site; any other is stored with each marker.
#define GECKOPROF_BEGINS_AS_LITERAL_(name) ((#name)[0] == '"')
#define GECKOPROF_MARKER_SITE_(category, type)                                                                         \
  static constinit geckoprof_marker_site geckoprof_site_ = {                                                           \
      sizeof(geckoprof_marker_site), ::geckoprof::baseprofiler::ToCategoryPair(::geckoprof::MarkerCategory::category), \
      nullptr, type, 0}

#define PROFILER_MARKER_UNTYPED(name, category, ...)                                                                 \
  do {                                                                                                               \
    if (geckoprof_base_wants_markers() != 0) {                                                                       \
      GECKOPROF_MARKER_SITE_(category, nullptr);                                                                     \
      ::geckoprof::internal::AddUntyped(                                                                             \
          geckoprof_site_, ::geckoprof::internal::NameAt<GECKOPROF_BEGINS_AS_LITERAL_(name)>(geckoprof_site_, name), \
          geckoprof_site_.category_pair, ::geckoprof::MarkerOptions(__VA_ARGS__));                                   \
    }                                                                                                                \
  } while (false)

#define PROFILER_MARKER(name, category, options, Type, ...)                                                          \
  do {                                                                                                               \
    if (geckoprof_base_wants_markers() != 0) {                                                                       \
      GECKOPROF_MARKER_SITE_(category, ::geckoprof::internal::ConstantTypeOf<Type>());                               \
      ::geckoprof::internal::AddTyped<Type>(                                                                         \
          geckoprof_site_, ::geckoprof::internal::NameAt<GECKOPROF_BEGINS_AS_LITERAL_(name)>(geckoprof_site_, name), \
          geckoprof_site_.category_pair, ::geckoprof::MarkerOptions(options) __VA_OPT__(, ) __VA_ARGS__);            \
    }                                                                                                                \
  } while (false)

#define PROFILER_MARKER_TEXT(name, category, options, text) \
  PROFILER_MARKER(name, category, options, ::geckoprof::markers::Text, text)

#define GECKOPROF_MARKER_JOIN_(a, b) a##b
#define GECKOPROF_MARKER_JOIN(a, b) GECKOPROF_MARKER_JOIN_(a, b)

// The rest of the scope; `name` must be a literal.
#define AUTO_PROFILER_MARKER_UNTYPED(name, category)                                                                  \
  static_assert(GECKOPROF_BEGINS_AS_LITERAL_(name), "the name of an AUTO_PROFILER_MARKER_UNTYPED must be a literal"); \
  GECKOPROF_AUTO_SCOPE_(name, category)
#define GECKOPROF_AUTO_SCOPE_(name, category)                                                                          \
  static constinit geckoprof_marker_site GECKOPROF_MARKER_JOIN(geckoprof_site_, __LINE__) = {                          \
      sizeof(geckoprof_marker_site), ::geckoprof::baseprofiler::ToCategoryPair(::geckoprof::MarkerCategory::category), \
      "" name, nullptr, 0};                                                                                            \
  const ::geckoprof::internal::AutoScope GECKOPROF_MARKER_JOIN(                                                        \
      geckoprof_scope_, __LINE__)(GECKOPROF_MARKER_JOIN(geckoprof_site_, __LINE__))

// The rest of the scope, with a payload; the arguments are evaluated at its end.
#define AUTO_PROFILER_MARKER(name, category, options, Type, ...)                                     \
  const ::geckoprof::internal::AutoMarker GECKOPROF_MARKER_JOIN(geckoprof_marker_, __LINE__)(        \
      ::geckoprof::MarkerOptions(options), [&](const ::geckoprof::MarkerOptions& geckoprof_options_) \
                                               __attribute__((always_inline)) {                      \
                                                 PROFILER_MARKER(name, category, geckoprof_options_, \
                                                                 Type __VA_OPT__(, ) __VA_ARGS__);   \
                                               })
#define AUTO_PROFILER_MARKER_TEXT(name, category, options, text) \
  AUTO_PROFILER_MARKER(name, category, options, ::geckoprof::markers::Text, text)

#endif  // GECKOPROF_BASEPROFILER_MARKERS_H_
