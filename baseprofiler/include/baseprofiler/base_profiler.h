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

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/category.h"
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
  kUnprepared = 5
};

// See geckoprof_base_start for ranges. interval_ms and duration_seconds: 0 means the default.
inline StartResult profiler_start(uint64_t capacity_bytes = 0, double interval_ms = 0, uint32_t features = 0,
                                  std::initializer_list<const char*> filters = {}, double duration_seconds = 0) {
  return static_cast<StartResult>(geckoprof_base_start(capacity_bytes, static_cast<int64_t>(interval_ms * 1e6),
                                                       features, filters.begin(), static_cast<uint32_t>(filters.size()),
                                                       static_cast<int64_t>(duration_seconds * 1e9)));
}
inline bool profiler_stop() { return geckoprof_base_stop() != 0; }
inline bool profiler_pause() { return geckoprof_base_pause() != 0; }
inline bool profiler_resume() { return geckoprof_base_resume() != 0; }
inline bool profiler_is_active() { return geckoprof_base_state() != 0; }
inline bool profiler_is_active_and_unpaused() { return geckoprof_base_state() == 1; }
inline bool profiler_is_paused() { return geckoprof_base_state() == 2; }

// --- threads ---

inline void profiler_register_thread(const char* name) { geckoprof_base_register_thread(name); }
inline void profiler_unregister_thread() { geckoprof_base_unregister_thread(); }

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

// For names that are not literals; see PROFILER_MARKER_TEXT for the others.
inline void AddMarker(std::string_view name, Category category, const MarkerOptions& options, std::string_view text) {
  profiler_add_marker(name, category, options, markers::Text{}, text);
}

}  // namespace geckoprof::baseprofiler

#define GECKOPROF_BASE_JOIN_(a, b) a##b
#define GECKOPROF_BASE_JOIN(a, b) GECKOPROF_BASE_JOIN_(a, b)

// Markers: the same as without BASE_, which the full library's users write.
#define BASE_PROFILER_MARKER_UNTYPED(name, category, ...) \
  PROFILER_MARKER_UNTYPED(name, category __VA_OPT__(, ) __VA_ARGS__)
#define BASE_PROFILER_MARKER_TEXT(name, category, options, text) PROFILER_MARKER_TEXT(name, category, options, text)
#define BASE_PROFILER_MARKER(name, category, options, Type, ...) \
  PROFILER_MARKER(name, category, options, Type __VA_OPT__(, ) __VA_ARGS__)
#define AUTO_BASE_PROFILER_MARKER_UNTYPED(name, category) AUTO_PROFILER_MARKER_UNTYPED(name, category)
#define AUTO_BASE_PROFILER_MARKER_TEXT(name, category, options, text) \
  AUTO_PROFILER_MARKER_TEXT(name, category, options, text)
#define AUTO_BASE_PROFILER_MARKER(name, category, options, Type, ...) \
  AUTO_PROFILER_MARKER(name, category, options, Type __VA_OPT__(, ) __VA_ARGS__)

#define AUTO_BASE_PROFILER_REGISTER_THREAD(name) \
  const ::geckoprof::baseprofiler::AutoProfilerRegisterThread GECKOPROF_BASE_JOIN(base_thread_, __LINE__)(name)
#define BASE_PROFILER_REGISTER_THREAD(name) ::geckoprof::baseprofiler::profiler_register_thread(name)
#define BASE_PROFILER_UNREGISTER_THREAD() ::geckoprof::baseprofiler::profiler_unregister_thread()

#endif  // GECKOPROF_BASEPROFILER_BASE_PROFILER_H_
