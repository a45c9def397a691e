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
#include <tuple>
#include <utility>

#include "baseprofiler/category.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/marker_type_description.h"
#include "baseprofiler/marker_type_older.h"
#include "baseprofiler/marker_types.h"

namespace geckoprof {

using MarkerCategory = baseprofiler::Category;

namespace internal {

struct MarkerName {
  std::string_view text;
  bool is_own = true;  // not the site's
};

inline bool AddPieces(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair,
                      const MarkerOptions& options, const geckoprof_piece* pieces, uint32_t piece_count, bool was_cut) {
  const MarkerTiming timing = options.Timing();
  geckoprof_marker_options given{};
  given.size_bytes = sizeof given;
  given.phase = timing.phase;
  given.start = timing.start.time();
  given.end = timing.end.time();
  if (name.is_own) {
    given.name = name.text.data() == nullptr ? "" : name.text.data();
    given.name_bytes = name.text.size();
    given.category_pair = category_pair;
  }
  given.thread = options.ThreadId().tid();
  given.flags = (was_cut ? GECKOPROF_MARKER_WAS_CUT : 0) | (name.is_own ? GECKOPROF_MARKER_HAS_CATEGORY : 0);
  return geckoprof_base_add_marker(&site, &given, pieces, piece_count) == 0;
}

// UTF-16 texts and lists cannot stay where they are.
template <typename Argument>
constexpr bool NeedsScratch() {
  using Plain = std::decay_t<Argument>;
  if constexpr (IsOptional<Plain>::value) {
    return NeedsScratch<typename Plain::value_type>();
  } else {
    return !StringLike<Plain> && (Utf16Like<Plain> || requires(const Plain& text) { std::begin(text); });
  }
}
template <typename... Arguments>
constexpr bool AnyNeedsScratch() {
  return (NeedsScratch<Arguments>() || ...);
}

template <typename Type, typename Sink, size_t... kIndices, typename... Arguments>
void AddAll(Sink& sink, std::index_sequence<kIndices...>, const Arguments&... arguments) {
  (AddField<Type::PayloadFields[kIndices].InputTy,
            Has(Type::PayloadFields[kIndices].Flags, MS::PayloadFlags::Optional)>(sink, arguments),
   ...);
}

// A short payload is written where it is to lie. False: not so this one.
template <typename Type, typename... Arguments>
bool AddInPlace(geckoprof_marker_site& site, const MarkerOptions& options, const Arguments&... arguments) {
  if (!options.ThreadId().IsUnspecified()) return false;
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

template <typename Type, typename... Arguments>
bool AddFields(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair,
               const MarkerOptions& options, const Arguments&... arguments) {
  constexpr bool kHasScratch = AnyNeedsScratch<Arguments...>();
  if constexpr (!kHasScratch) {
    if (!name.is_own && AddInPlace<Type>(site, options, arguments...)) return true;
  }
  Payload<sizeof...(Arguments), kHasScratch> payload;
  AddAll<Type>(payload, std::index_sequence_for<Arguments...>(), arguments...);
  const geckoprof_piece* const pieces = payload.Finish();
  return AddPieces(site, name, category_pair, options, pieces, payload.piece_count(), payload.was_cut());
}

template <typename Type>
constexpr size_t FieldCount() {
  return TypeLists<Type>::kFields.size();
}

template <typename Type, typename... Arguments>
bool AddDeclared(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair,
                 const MarkerOptions& options, const Arguments&... arguments) {
  static_assert(FieldCount<Type>() == sizeof...(Arguments),
                "a marker takes one argument for each of its type's PayloadFields, in their order");
  if constexpr (sizeof...(Arguments) == 0) {
    return AddPieces(site, name, category_pair, options, nullptr, 0, false);
  } else {
    return AddFields<Type>(site, name, category_pair, options, arguments...);
  }
}

template <typename Type, typename... Arguments>
bool AddTyped(geckoprof_marker_site& site, const MarkerName& name, uint32_t category_pair, const MarkerOptions& options,
              const Arguments&... arguments) {
  if constexpr (OlderMarkerType<Type>) {
    if (site.type == nullptr) __atomic_store_n(&site.type, &OlderTypeOf<Type>(), __ATOMIC_RELAXED);
    baseprofiler::SpliceableJSONWriter writer;
    Type::StreamJSONMarkerData(writer, arguments...);
    const geckoprof_piece piece = writer.Finish();
    if (piece.size_bytes != 0) return AddPieces(site, name, category_pair, options, &piece, 1, false);
    geckoprof_base_count_too_large();
    return false;
  } else {
    return AddDeclared<Type>(site, name, category_pair, options, arguments...);
  }
}

// `kBeginsAsLiteral`: the name's first letter is a quotation mark; it is a literal, so that the site may have it,
// unless something follows, as in "load " + path.
template <bool kBeginsAsLiteral, typename Name>
MarkerName NameAt(geckoprof_marker_site& site, const Name& name) {
  if constexpr (kBeginsAsLiteral && std::is_array_v<Name>) {
    if (site.name == nullptr) __atomic_store_n(&site.name, std::string_view(name).data(), __ATOMIC_RELAXED);
    return {{}, false};
  } else {
    return {name, true};
  }
}

// The interval of a scope, without payload.
class AutoScope {
 public:
  explicit AutoScope(geckoprof_marker_site& site)
      : site_(site), start_(geckoprof_base_wants_markers() != 0 ? geckoprof_base_time() : 0) {}
  ~AutoScope() {
    if (start_ != 0) geckoprof_base_add_scope(&site_, start_, geckoprof_base_time());
  }
  AutoScope(const AutoScope&) = delete;
  AutoScope& operator=(const AutoScope&) = delete;

 private:
  geckoprof_marker_site& site_;
  const geckoprof_time start_;
};

// With payload: `add(options)` is called at the scope's end, if markers were wanted at its begin.
template <typename Add>
class AutoMarker {
 public:
  AutoMarker(const MarkerOptions& options, Add add)
      : add_(std::move(add)), options_(options), wanted_(geckoprof_base_wants_markers() != 0) {
    if (wanted_ && !options_.HasTiming()) start_ = TimeStamp::Now();
  }
  ~AutoMarker() {
    if (!wanted_) return;
    if (!options_.HasTiming()) options_.Set(MarkerTiming::IntervalUntilNowFrom(start_));
    add_(options_);
  }
  AutoMarker(const AutoMarker&) = delete;
  AutoMarker& operator=(const AutoMarker&) = delete;

 private:
  Add add_;
  MarkerOptions options_;
  const bool wanted_;
  TimeStamp start_;
};

}  // namespace internal
}  // namespace geckoprof

// Adds a marker under any name. False: nothing is recorded, or it was dropped (counted).
template <typename Type, typename... Arguments>
bool profiler_add_marker(std::string_view name, geckoprof::MarkerCategory category,
                         const geckoprof::MarkerOptions& options, Type, const Arguments&... arguments) {
  if (geckoprof_base_wants_markers() == 0) return false;
  return geckoprof::internal::AddTyped<Type>(geckoprof::internal::g_nameless_site<Type>, {name, true},
                                             geckoprof::baseprofiler::ToCategoryPair(category), options, arguments...);
}

// The same without a payload.
inline bool profiler_add_marker(std::string_view name, geckoprof::MarkerCategory category,
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
      ::geckoprof::internal::AddPieces(                                                                              \
          geckoprof_site_, ::geckoprof::internal::NameAt<GECKOPROF_BEGINS_AS_LITERAL_(name)>(geckoprof_site_, name), \
          geckoprof_site_.category_pair, ::geckoprof::MarkerOptions(__VA_ARGS__), nullptr, 0, false);                \
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
#define AUTO_PROFILER_MARKER(name, category, options, Type, ...)                                       \
  const ::geckoprof::internal::AutoMarker GECKOPROF_MARKER_JOIN(geckoprof_marker_, __LINE__)(          \
      ::geckoprof::MarkerOptions(options), [&](const ::geckoprof::MarkerOptions& geckoprof_options_) { \
        PROFILER_MARKER(name, category, geckoprof_options_, Type __VA_OPT__(, ) __VA_ARGS__);          \
      })
#define AUTO_PROFILER_MARKER_TEXT(name, category, options, text) \
  AUTO_PROFILER_MARKER(name, category, options, ::geckoprof::markers::Text, text)

#endif  // GECKOPROF_BASEPROFILER_MARKERS_H_
