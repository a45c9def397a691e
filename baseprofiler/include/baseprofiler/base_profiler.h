// The base profiler's API: control, labels, markers, threads. Names follow the original's (mozglue/baseprofiler).
//
//   #include "baseprofiler/base_profiler.h"
//   using namespace geckoprof::baseprofiler;
//
//   void Load() {
//     AUTO_BASE_PROFILER_LABEL("Load", OTHER);                      // a frame in every sample taken meanwhile
//     BASE_PROFILER_MARKER_UNTYPED("Load begins", OTHER);           // an instant
//     BASE_PROFILER_MARKER_TEXT("Loaded", OTHER, MarkerTiming::IntervalUntilNowFrom(start), "config.json");
//   }
//
// Link with libbaseprofiler.so, or preload it: in both cases it works before main and after static destructors.
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/base_profiler_ids.h"
#include "baseprofiler/category.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/labels.h"
#include "baseprofiler/markers.h"

namespace geckoprof::baseprofiler {

// --- control ---

enum class StartResult : int {
  kStarted = 0,
  kAlreadyActive = 1,
  kExcluded = 2,
  kNoSegment = 3,
  kNoThread = 4,
  kUnprepared = 5,
  kUnknownParameter = 6,
  kNotHere = 7,  // there is no library in this process, or the program is built without (enabled.h)
};

// See geckoprof_base_start for ranges. interval_ms and duration_seconds: 0 means the default.
GECKOPROF_YIELDS_TO_FULL_ StartResult profiler_start(uint64_t capacity_bytes = 0, double interval_ms = 0,
                                                     uint32_t features = 0,
                                                     std::initializer_list<const char*> filters = {},
                                                     double duration_seconds = 0) {
  return static_cast<StartResult>(geckoprof_base_start(capacity_bytes, static_cast<int64_t>(interval_ms * 1e6),
                                                       features, filters.begin(), static_cast<uint32_t>(filters.size()),
                                                       static_cast<int64_t>(duration_seconds * 1e9)));
}
// Nothing (kAlreadyActive) if what runs was asked for alike; else what runs ends first. See
// geckoprof_base_ensure_started.
GECKOPROF_YIELDS_TO_FULL_ StartResult profiler_ensure_started(uint64_t capacity_bytes = 0, double interval_ms = 0,
                                                              uint32_t features = 0,
                                                              std::initializer_list<const char*> filters = {},
                                                              double duration_seconds = 0) {
  const geckoprof_start_parameters wanted = {sizeof wanted,
                                             features,
                                             capacity_bytes,
                                             static_cast<int64_t>(interval_ms * 1e6),
                                             static_cast<int64_t>(duration_seconds * 1e9),
                                             filters.begin(),
                                             static_cast<uint32_t>(filters.size()),
                                             0};
  return static_cast<StartResult>(geckoprof_base_ensure_started(&wanted));
}
GECKOPROF_YIELDS_TO_FULL_ bool profiler_stop() { return geckoprof_base_stop() != 0; }
GECKOPROF_YIELDS_TO_FULL_ bool profiler_pause() { return geckoprof_base_pause() != 0; }
GECKOPROF_YIELDS_TO_FULL_ bool profiler_resume() { return geckoprof_base_resume() != 0; }
// Of samples alone: markers go on. The two kinds of pause are independent.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_pause_sampling() { return geckoprof_base_pause_sampling() != 0; }
GECKOPROF_YIELDS_TO_FULL_ bool profiler_resume_sampling() { return geckoprof_base_resume_sampling() != 0; }

GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_active() { return geckoprof_base_state() != 0; }
// Also while sampling alone is paused.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_active_and_unpaused() { return (geckoprof_base_state() & 1) != 0; }
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_paused() { return geckoprof_base_state() == 2; }
// Also if everything is paused.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_sampling_paused() { return geckoprof_base_state() >= 2; }

// Base is there from before the first constructor to the process's end: there is nothing to be made ready, and what the
// environment asked for is recorded already. `stack_top` is what callers of the original pass.
GECKOPROF_YIELDS_TO_FULL_ void profiler_init(void* /*stack_top*/ = nullptr) {}
// Stops, as the original's does: what is recorded is discarded unless a recorder outside holds it, and the file that
// GECKOPROF_SHUTDOWN names is not written. Leave it out where the process's end is to be recorded. False: nothing was.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_shutdown() { return geckoprof_base_stop() != 0; }

// --- what is recorded ---

// GECKOPROF_FEATURE_... (base_profiler_abi.h). Those that are on, not those that were asked for; each
// takes a lock.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_feature_active(uint32_t feature) {
  return (geckoprof_base_features() & feature) != 0;
}
GECKOPROF_YIELDS_TO_FULL_ bool profiler_active_without_feature(uint32_t feature) {
  return geckoprof_base_state() != 0 && (geckoprof_base_features() & feature) == 0;
}
// What the recording that runs was asked for, with the defaults and bounds that took effect; duration: 0 is without
// end. Null: not wanted. `filters`: a container of strings, to which they are added. False, and nothing is changed:
// nothing is recorded. Takes a lock.
template <typename Filters = std::initializer_list<const char*>>
bool profiler_get_start_params(uint64_t* capacity_bytes, double* duration_seconds, double* interval_ms,
                               uint32_t* features, Filters* filters = nullptr) {
  auto take = [&](const geckoprof_start_parameters& found) {
    if (capacity_bytes != nullptr) *capacity_bytes = found.capacity_bytes;
    if (duration_seconds != nullptr) *duration_seconds = static_cast<double>(found.duration_ns) / 1e9;
    if (interval_ms != nullptr) *interval_ms = static_cast<double>(found.interval_ns) / 1e6;
    if (features != nullptr) *features = found.features;
    if constexpr (requires { filters->emplace_back(""); }) {
      for (uint32_t i = 0; filters != nullptr && i < found.filter_count; ++i) filters->emplace_back(found.filters[i]);
    }
  };
  const auto visit = [](void* context, const geckoprof_start_parameters* found) {
    (*static_cast<decltype(take)*>(context))(*found);
  };
  return geckoprof_base_visit_start_parameters(visit, &take) != 0;
}

// Those that a start can turn on.
GECKOPROF_YIELDS_TO_FULL_ uint32_t profiler_get_available_features() { return geckoprof_base_available_features(); }

// ms on the time line of the process's profiles: since it began, or, where this library was loaded later, by dlopen,
// since then.
GECKOPROF_YIELDS_TO_FULL_ double profiler_time() {
  return static_cast<double>(geckoprof_base_now() - geckoprof_base_process_start()) / 1e6;
}

// --- threads ---

// Whether samples are taken of the calling thread: see geckoprof_base_thread_is_being_profiled. Takes a lock.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_thread_is_being_profiled() {
  return geckoprof_base_thread_is_being_profiled() != 0;
}

GECKOPROF_YIELDS_TO_FULL_ void profiler_register_thread(const char* name) { geckoprof_base_register_thread(name); }
GECKOPROF_YIELDS_TO_FULL_ void profiler_unregister_thread() { geckoprof_base_unregister_thread(); }

class AutoProfilerRegisterThread {
 public:
  explicit AutoProfilerRegisterThread(const char* name) { geckoprof_base_register_thread(name); }
  ~AutoProfilerRegisterThread() { geckoprof_base_unregister_thread(); }
  AutoProfilerRegisterThread(const AutoProfilerRegisterThread&) = delete;
  AutoProfilerRegisterThread& operator=(const AutoProfilerRegisterThread&) = delete;
};

// --- markers (markers.h) ---

using geckoprof::MarkerTiming;
using geckoprof::TimeStamp;

namespace markers = ::geckoprof::markers;
using ::profiler_add_marker;

// For names that are not literals; see PROFILER_MARKER_TEXT for the others.
template <typename Type, typename... Arguments>
requires(!std::convertible_to<const Type&, MarkerText>) bool AddMarker(MarkerText name, Category category,
                                                                       const MarkerOptions& options, Type type,
                                                                       const Arguments&... arguments) {
  return profiler_add_marker(name, category, options, type, arguments...);
}
inline bool AddMarker(MarkerText name, Category category, const MarkerOptions& options = {}) {
  return profiler_add_marker(name, category, options);
}
inline void AddMarker(MarkerText name, Category category, const MarkerOptions& options, MarkerText text) {
  profiler_add_marker(name, category, options, markers::Text{}, text);
}

}  // namespace geckoprof::baseprofiler

// Markers: the same as without BASE_, which the full library's users write.
#define BASE_PROFILER_MARKER_UNTYPED(name, category, ...) \
  PROFILER_MARKER_UNTYPED(name, category __VA_OPT__(, ) __VA_ARGS__)
#define BASE_PROFILER_MARKER_TEXT(name, category, options, text) PROFILER_MARKER_TEXT(name, category, options, text)
#define BASE_PROFILER_MARKER(name, category, options, Type, ...) \
  PROFILER_MARKER(name, category, options, Type __VA_OPT__(, ) __VA_ARGS__)
#define AUTO_BASE_PROFILER_MARKER_UNTYPED(name, category, ...) \
  AUTO_PROFILER_MARKER_UNTYPED(name, category __VA_OPT__(, ) __VA_ARGS__)
#define AUTO_BASE_PROFILER_MARKER_TEXT(name, category, options, text) \
  AUTO_PROFILER_MARKER_TEXT(name, category, options, text)
#define AUTO_BASE_PROFILER_MARKER(name, category, ...) AUTO_PROFILER_MARKER(name, category __VA_OPT__(, ) __VA_ARGS__)

#if GECKOPROF_IS_ENABLED_

#define GECKOPROF_BASE_JOIN_(a, b) a##b
#define GECKOPROF_BASE_JOIN(a, b) GECKOPROF_BASE_JOIN_(a, b)

// For code that has it: says that base is used, and does nothing at its scope's end, so that what comes after main is
// recorded and GECKOPROF_SHUTDOWN is written. profiler_shutdown() stops before that.
#define AUTO_BASE_PROFILER_INIT ::geckoprof::baseprofiler::profiler_init<0>()

#define AUTO_BASE_PROFILER_REGISTER_THREAD(name) \
  const ::geckoprof::baseprofiler::AutoProfilerRegisterThread GECKOPROF_BASE_JOIN(base_thread_, __LINE__)(name)
#define BASE_PROFILER_REGISTER_THREAD(name) ::geckoprof::baseprofiler::profiler_register_thread(name)
#define BASE_PROFILER_UNREGISTER_THREAD() ::geckoprof::baseprofiler::profiler_unregister_thread()

#else

#define AUTO_BASE_PROFILER_INIT GECKOPROF_NOTHING_
#define AUTO_BASE_PROFILER_REGISTER_THREAD(name) GECKOPROF_NOTHING_
#define BASE_PROFILER_REGISTER_THREAD(name) GECKOPROF_NOTHING_
#define BASE_PROFILER_UNREGISTER_THREAD() GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#endif  // GECKOPROF_BASEPROFILER_BASE_PROFILER_H_
