// Starting, stopping and pausing, named as in Firefox.
//
//   int main() {
//     AUTO_PROFILER_INIT;                                          // takes over what base recorded since the start
//     profiler_start(0, 1.0, ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization);
//     Work();
//     profiler_save_profile("/tmp/profile-%p.json");
//   }                                                              // hands back: base records the end of the process
//
// There is one recording, which both this library and base's API control and see. Any thread may call, in any order.
// Nothing here should be called from a signal handler. A handler that interrupted this library is refused
// (kWrongThread), and a handler that interrupted malloc may wait for it for ever. A call for which memory runs out
// answers kNoMemory. The recording goes on, and the call may be repeated.
//
// While the first copy of this library controls the recording, every function of a second copy in the process is
// refused (kOwned) and changes nothing. The library must not be loaded by dlmopen: it is a filter of base (ld(1),
// --filter), and glibc's loader crashes where a filter is the first in a namespace.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_CONTROL_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_CONTROL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_values.h"

// An entry has 8 bytes. Capacities are 1 MiB to 2 GiB; others are moved to the nearest, 0 means the default.
inline constexpr uint32_t PROFILER_DEFAULT_ENTRIES = 16u << 20;
inline constexpr double PROFILER_DEFAULT_INTERVAL = 1;  // ms; 0.05 to 5000
inline constexpr double PROFILER_MAX_INTERVAL = 5000;

namespace geckoprof {

// A feature that was asked for and cannot be had. The texts are the library's, and static.
struct FeatureRefusal {
  uint32_t feature = 0;          // one bit
  std::string_view name = {};    // "bit 30" where no feature has this number
  std::string_view reason = {};  // a sentence without a full stop
};

// The result of a start. `outcome` is about the recording. A refused feature does not keep it from starting.
struct ProfilerStartResult {
  ProfilerOutcome outcome = {};
  uint32_t features = 0;  // that are on
  std::vector<FeatureRefusal> refusals = {};

  explicit operator bool() const { return static_cast<bool>(outcome); }
};

GECKOPROF_BEGIN_HIDDEN_

namespace detail {

// From a positive time in units of `unit_ns` to ns. 0, the default, for everything else, and for what is no number.
inline int64_t ToNs(double value, double unit_ns) {
  if (!(value > 0)) return 0;
  const double ns = value * unit_ns;
  if (ns >= 9e18) return INT64_MAX;
  return ns < 1 ? 1 : static_cast<int64_t>(ns + 0.5);
}

// `start`: geckoprof_start or geckoprof_ensure_started.
inline ProfilerStartResult Start(int (*start)(const geckoprof_start_parameters*, geckoprof_start_outcome*),
                                 const geckoprof_start_parameters& parameters) {
  ProfilerStartResult result;
  geckoprof_start_outcome came_to = GECKOPROF_START_OUTCOME;
  result.outcome = AskForOutcome([&](char* text, size_t bytes) {
    came_to.detail = text;
    came_to.detail_bytes = bytes;
    return start(&parameters, &came_to);
  });
  result.features = came_to.features;
  (void)RunUnlessOutOfMemory([&] {
    for (uint32_t feature = 1; feature != 0; feature <<= 1) {
      if ((came_to.refused_features & feature) == 0) continue;
      result.refusals.push_back({feature, geckoprof_feature_name(feature), geckoprof_feature_refusal_reason(feature)});
    }
  });
  return result;
}

inline ProfilerOutcome Control(uint32_t action) {
  return AskForOutcome([action](char* text, size_t bytes) { return geckoprof_control(action, text, bytes); });
}

inline geckoprof_start_parameters StartParameters(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                                  const char* const* filters, uint32_t filter_count,
                                                  const std::optional<double>& duration_s) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  wanted.features = features;
  wanted.capacity_bytes = uint64_t{capacity_entries} * 8;
  wanted.interval_ns = ToNs(interval_ms, 1e6);
  wanted.duration_ns = ToNs(duration_s.value_or(0), 1e9);
  wanted.filters = filters;
  wanted.filter_count = filters != nullptr ? filter_count : 0;
  return wanted;
}

}  // namespace detail
}  // namespace geckoprof

// Becomes the owner of base's recording, active or not. The recording goes on without a gap. kUnchanged: it was the
// owner. Every function that needs this does it. The main thread is registered with this or its first start, as
// "GeckoMain", and stays so. Callers in Firefox pass `stack_top`; stacks are known here without it.
inline geckoprof::ProfilerOutcome profiler_init(void* /*stack_top*/ = nullptr) {
  return geckoprof::detail::Control(GECKOPROF_ACTION_INIT);
}

// Gives the recording back to base, which goes on to the end of the process. kUnchanged: this library did not own it.
// kTimeout: it still does. Not from a callback after sampling (kWrongThread).
inline geckoprof::ProfilerOutcome profiler_shutdown() { return geckoprof::detail::Control(GECKOPROF_ACTION_SHUTDOWN); }

// Starts recording.
// - While base records of itself (from the environment, or started through base's API), what it recorded is kept and
//   only the parameters change. The recording is this library's from then on. A recording of this library's is stopped,
//   what it holds is discarded, and a new one is started. So a SECOND start discards also what base had recorded since
//   exec. What can be known beforehand is refused first (kExcluded), and the recording goes on. If a start fails after
//   the stop, listeners hear Stopping.
// - Where there is too little space or a limit, the buffer is smaller than asked for, or stays as it was. The larger
//   buffer of a recording that goes on stays, too. The outcome is kDone with a text that says so, and
//   profiler_get_start_params has what is in effect.
// - capacity_entries: rounded up to a power of two. interval_ms <= 0: the default. features: 0 means the default ones.
// - filters: parts of names of threads, in any case; none, or "*": all threads; "pid:123": only in that process. The
//   first 32 count, of each the first 63 bytes. Where there are more, the outcome is kDone with a text that says so.
// - duration_s: sampling ends by itself this long after the call, also in a recording that base began before it. An
//   empty one, or 0 or less, means never.
inline geckoprof::ProfilerStartResult profiler_start(uint32_t capacity_entries = 0, double interval_ms = 0,
                                                     uint32_t features = 0, const char* const* filters = nullptr,
                                                     uint32_t filter_count = 0,
                                                     std::optional<double> duration_s = std::nullopt) {
  return geckoprof::detail::Start(
      &geckoprof_start,
      geckoprof::detail::StartParameters(capacity_entries, interval_ms, features, filters, filter_count, duration_s));
}

// The same, but a recording of this library's with parameters that mean the same goes on (kUnchanged). With others it
// is discarded, base's part since exec included.
inline geckoprof::ProfilerStartResult profiler_ensure_started(uint32_t capacity_entries = 0, double interval_ms = 0,
                                                              uint32_t features = 0,
                                                              const char* const* filters = nullptr,
                                                              uint32_t filter_count = 0,
                                                              std::optional<double> duration_s = std::nullopt) {
  return geckoprof::detail::Start(
      &geckoprof_ensure_started,
      geckoprof::detail::StartParameters(capacity_entries, interval_ms, features, filters, filter_count, duration_s));
}

// Discards what was recorded, unless a recorder outside of the process holds it.
inline geckoprof::ProfilerOutcome profiler_stop() { return geckoprof::detail::Control(GECKOPROF_ACTION_STOP); }

// Stops both samples and markers.
inline geckoprof::ProfilerOutcome profiler_pause() { return geckoprof::detail::Control(GECKOPROF_ACTION_PAUSE); }
inline geckoprof::ProfilerOutcome profiler_resume() { return geckoprof::detail::Control(GECKOPROF_ACTION_RESUME); }
// No samples; markers go on. The two kinds of pause are independent of each other.
inline geckoprof::ProfilerOutcome profiler_pause_sampling() {
  return geckoprof::detail::Control(GECKOPROF_ACTION_PAUSE_SAMPLING);
}
inline geckoprof::ProfilerOutcome profiler_resume_sampling() {
  return geckoprof::detail::Control(GECKOPROF_ACTION_RESUME_SAMPLING);
}

// Says if the children of this process follow its recording while this library owns it. They do so at first. Children
// are all descendants of the same user that have base: forked ones, and programs with base preloaded or linked. They
// start, stop and pause with this process, with the same parameters, and its profiles contain them. A child without
// base is never touched. After `false`, children that follow are told to stop.
inline geckoprof::ProfilerOutcome profiler_follow_children(bool follow) {
  return {static_cast<geckoprof::ProfilerStatus>(geckoprof_follow_children(follow ? 1 : 0)), {}};
}

// Calls `set` with names and values of variables. A child that has base and gets them in its environment follows from
// its first instruction. Without a recording, they keep a child from recording.
template <typename Set>
void GetProfilerEnvVarsForChildProcess(Set&& set) {
  using Target = std::remove_reference_t<Set>;
  void* const user = const_cast<void*>(static_cast<const volatile void*>(&set));
  (void)geckoprof_visit_child_environment(
      [](void* target, const char* name, const char* value) { (*static_cast<Target*>(target))(name, value); }, user);
}

// Sets the name of this process in profiles, instead of its program's name. It stays so in later recordings. Null or
// empty takes it back. `etld_plus_one` is a browser's, and ignored. kOldBase: the loaded base cannot do it.
inline geckoprof::ProfilerOutcome profiler_set_process_name(const char* name, const char* /*etld_plus_one*/ = nullptr) {
  return {static_cast<geckoprof::ProfilerStatus>(geckoprof_set_process_name(name)), {}};
}

// The parameters that are in effect; zeros and nothing while inactive, or without memory. Pointers may be null.
inline void profiler_get_start_params(uint32_t* capacity_entries, std::optional<double>* duration_s,
                                      double* interval_ms, uint32_t* features, std::vector<std::string>* filters) {
  if (capacity_entries != nullptr) *capacity_entries = 0;
  if (duration_s != nullptr) *duration_s = std::nullopt;
  if (interval_ms != nullptr) *interval_ms = 0;
  if (features != nullptr) *features = 0;
  if (filters != nullptr) filters->clear();
  auto take = [&](const geckoprof_start_parameters& found) {
    const auto copy_filters = [&] {
      for (uint32_t i = 0; filters != nullptr && i < found.filter_count; ++i) filters->emplace_back(found.filters[i]);
    };
    if (!geckoprof::detail::RunUnlessOutOfMemory(copy_filters)) return filters->clear();
    if (capacity_entries != nullptr) *capacity_entries = static_cast<uint32_t>(found.capacity_bytes / 8);
    if (duration_s != nullptr && found.duration_ns > 0) *duration_s = static_cast<double>(found.duration_ns) / 1e9;
    if (interval_ms != nullptr) *interval_ms = static_cast<double>(found.interval_ns) / 1e6;
    if (features != nullptr) *features = found.features;
  };
  (void)geckoprof_visit_start_parameters(
      [](void* user, const geckoprof_start_parameters* found) { (*static_cast<decltype(take)*>(user))(*found); },
      &take);
}

// The features that profiler_start can turn on.
inline uint32_t profiler_get_available_features() { return geckoprof_get_available_features(); }

GECKOPROF_END_VISIBILITY_

namespace geckoprof {

// AutoProfilerInit: owns base's recording for as long as it lives. Best the first object in main. An object that is
// made while this library owns the recording already, such as a nested one, changes nothing.
class AutoProfilerInit {
 public:
  AutoProfilerInit() : was_owner_(geckoprof_init() == GECKOPROF_UNCHANGED) {}
  ~AutoProfilerInit() {
    if (!was_owner_) (void)geckoprof_shutdown();
  }
  AutoProfilerInit(const AutoProfilerInit&) = delete;
  AutoProfilerInit& operator=(const AutoProfilerInit&) = delete;

 private:
  const bool was_owner_;
};

}  // namespace geckoprof

#if GECKOPROF_IS_ENABLED_
#define AUTO_PROFILER_INIT const ::geckoprof::AutoProfilerInit auto_profiler_init
#else
#define AUTO_PROFILER_INIT GECKOPROF_NOTHING_
#endif

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_CONTROL_H_
