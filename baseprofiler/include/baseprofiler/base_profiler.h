// The base profiler's API: control, labels, markers, threads. Names follow Firefox (mozglue/baseprofiler).
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
// Link with libbaseprofiler.so, or preload it. It works before main and after static destructors in both cases.
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_H_

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/base_profiler_ids.h"
#include "baseprofiler/category.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/labels.h"
#include "baseprofiler/markers.h"

namespace geckoprof::internal {

GECKOPROF_DETECTOR_(kHasEmplaceBack, std::declval<Type&>().emplace_back(""));

}  // namespace geckoprof::internal

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
  kNotHere = 7,  // There is no library in this process, or nothing is instrumented (enabled.h).
};

// geckoprof_base_start says which ranges the arguments have. 0 means the default.
GECKOPROF_YIELDS_TO_FULL_ StartResult profiler_start(uint64_t capacity_bytes = 0, double interval_ms = 0,
                                                     uint32_t features = 0,
                                                     std::initializer_list<const char*> filters = {},
                                                     double duration_seconds = 0) {
  return static_cast<StartResult>(geckoprof_base_start(capacity_bytes, static_cast<int64_t>(interval_ms * 1e6),
                                                       features, filters.begin(), static_cast<uint32_t>(filters.size()),
                                                       static_cast<int64_t>(duration_seconds * 1e9)));
}
// Does nothing (kAlreadyActive) if a recording with the same parameters runs. Otherwise a recording that runs ends
// first. See geckoprof_base_ensure_started.
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
// These two pause samples alone. Markers go on. The two kinds of pause are independent.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_pause_sampling() { return geckoprof_base_pause_sampling() != 0; }
GECKOPROF_YIELDS_TO_FULL_ bool profiler_resume_sampling() { return geckoprof_base_resume_sampling() != 0; }

GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_active() { return geckoprof_base_state() != 0; }
// Returns true while sampling alone is paused, too.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_active_and_unpaused() { return (geckoprof_base_state() & 1) != 0; }
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_paused() { return geckoprof_base_state() == 2; }
// Returns true if everything is paused, too.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_sampling_paused() { return geckoprof_base_state() >= 2; }

// Does nothing. Base works from before the first constructor to the end of the process, and a recording that the
// environment asks for runs already. `stack_top` exists for code that was written for Firefox.
GECKOPROF_YIELDS_TO_FULL_ void profiler_init(void* /*stack_top*/ = nullptr) {}
// Stops the recording, as in Firefox. The recording is discarded unless a recorder outside holds it, and the file that
// GECKOPROF_SHUTDOWN names is not written. Do not call it if the end of the process is to be recorded. Returns false if
// nothing was recorded.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_shutdown() { return geckoprof_base_stop() != 0; }

// --- state of the recording ---

// Returns whether a GECKOPROF_FEATURE_... (base_profiler_abi.h) is on. Some features that a program asks
// for may not be available. Takes a lock.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_feature_active(uint32_t feature) {
  return (geckoprof_base_features() & feature) != 0;
}
GECKOPROF_YIELDS_TO_FULL_ bool profiler_active_without_feature(uint32_t feature) {
  return geckoprof_base_state() != 0 && (geckoprof_base_features() & feature) == 0;
}
// Writes the parameters of the recording that runs, with the defaults and bounds that took effect, to the pointers that
// are not null. A duration of 0 means no end. `filters` is a container of strings, and the filters are appended to it.
// Returns false and changes nothing if nothing is recorded. Takes a lock.
template <typename Filters = std::initializer_list<const char*>>
bool profiler_get_start_params(uint64_t* capacity_bytes, double* duration_seconds, double* interval_ms,
                               uint32_t* features, Filters* filters = nullptr) {
  auto take = [&](const geckoprof_start_parameters& found) {
    if (capacity_bytes != nullptr) *capacity_bytes = found.capacity_bytes;
    if (duration_seconds != nullptr) *duration_seconds = static_cast<double>(found.duration_ns) / 1e9;
    if (interval_ms != nullptr) *interval_ms = static_cast<double>(found.interval_ns) / 1e6;
    if (features != nullptr) *features = found.features;
    if constexpr (internal::kHasEmplaceBack<Filters>) {
      for (uint32_t i = 0; filters != nullptr && i < found.filter_count; ++i) filters->emplace_back(found.filters[i]);
    }
  };
  const auto visit = [](void* context, const geckoprof_start_parameters* found) {
    (*static_cast<decltype(take)*>(context))(*found);
  };
  return geckoprof_base_visit_start_parameters(visit, &take) != 0;
}

// Returns the features that a start can turn on.
GECKOPROF_YIELDS_TO_FULL_ uint32_t profiler_get_available_features() { return geckoprof_base_available_features(); }

// Returns the time in ms on the time line of the process's profiles. It begins with the process, or when dlopen loaded
// this library.
GECKOPROF_YIELDS_TO_FULL_ double profiler_time() {
  return static_cast<double>(geckoprof_base_now() - geckoprof_base_process_start()) / 1e6;
}

// --- threads ---

// Returns whether the calling thread is sampled. See geckoprof_base_thread_is_being_profiled. Takes a lock.
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

// Add a marker whose name is not a literal. PROFILER_MARKER_TEXT and the other macros are faster for literals.
template <typename Type, typename... Arguments,
          typename = std::enable_if_t<!std::is_convertible_v<const Type&, MarkerText>>>
bool AddMarker(MarkerText name, Category category, const MarkerOptions& options, Type type,
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

// These macros are the same as those without BASE_, which programs with the full library use.
#define BASE_PROFILER_MARKER_UNTYPED(name, ...) PROFILER_MARKER_UNTYPED(name, __VA_ARGS__)
#define BASE_PROFILER_MARKER_TEXT(name, category, options, text) PROFILER_MARKER_TEXT(name, category, options, text)
#define BASE_PROFILER_MARKER(name, category, options, ...) PROFILER_MARKER(name, category, options, __VA_ARGS__)
#define AUTO_BASE_PROFILER_MARKER_UNTYPED(name, ...) AUTO_PROFILER_MARKER_UNTYPED(name, __VA_ARGS__)
#define AUTO_BASE_PROFILER_MARKER_TEXT(name, category, options, text) \
  AUTO_PROFILER_MARKER_TEXT(name, category, options, text)
#define AUTO_BASE_PROFILER_MARKER(name, ...) AUTO_PROFILER_MARKER(name, __VA_ARGS__)

#if GECKOPROF_IS_ENABLED_

// Exists for code that was written for Firefox. It does nothing at the end of its scope. Base records after main, too,
// and writes the file that GECKOPROF_SHUTDOWN names. profiler_shutdown() stops before that.
#define AUTO_BASE_PROFILER_INIT ::geckoprof::baseprofiler::profiler_init<0>()

#define AUTO_BASE_PROFILER_REGISTER_THREAD(name) \
  const ::geckoprof::baseprofiler::AutoProfilerRegisterThread GECKOPROF_CONCAT_(base_thread_, __LINE__)(name)
#define BASE_PROFILER_REGISTER_THREAD(name) ::geckoprof::baseprofiler::profiler_register_thread(name)
#define BASE_PROFILER_UNREGISTER_THREAD() ::geckoprof::baseprofiler::profiler_unregister_thread()

#else

#define AUTO_BASE_PROFILER_INIT GECKOPROF_NOTHING_
#define AUTO_BASE_PROFILER_REGISTER_THREAD(name) GECKOPROF_NOTHING_
#define BASE_PROFILER_REGISTER_THREAD(name) GECKOPROF_NOTHING_
#define BASE_PROFILER_UNREGISTER_THREAD() GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#endif  // GECKOPROF_BASEPROFILER_BASE_PROFILER_H_
