// Starting, stopping and pausing, named as in Firefox.
//
//   int main() {
//     AUTO_PROFILER_INIT;                                          // takes over what base recorded since the start
//     profiler_start(0, 1.0, ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization);
//     Work();
//     profiler_save_profile_to_file("/tmp/profile-%p.json");
//   }                                                              // hands back: base records the end of the process
//
// One recording: what this library and base's API do is seen by both. Any thread may call, in any order; nothing here
// should be called from a signal handler: one that interrupted this library is refused (kWrongThread), and one that
// interrupted malloc may wait for it for ever. A call for which memory runs out answers kNoMemory; what was recorded
// goes on, and the call may be repeated. A second copy of this library in the process is refused by every function here
// (kOwned) while the first controls the recording: it changes nothing of it. Not to be loaded by dlmopen: this
// library is a filter of base (ld(1), --filter), which glibc's loader cannot have first in a namespace, where it
// crashes.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_CONTROL_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_CONTROL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "geckoprofiler/profiler_features.h"
#include "geckoprofiler/profiler_result.h"

#pragma GCC visibility push(default)

// Of 8 bytes each. Capacities are 1 MiB to 2 GiB; others are moved to the nearest, 0 means the default.
inline constexpr uint32_t PROFILER_DEFAULT_ENTRIES = 16u << 20;
inline constexpr double PROFILER_DEFAULT_INTERVAL = 1;  // ms; 0.05 to 5000
inline constexpr double PROFILER_MAX_INTERVAL = 5000;

// Becomes the owner of base's recording, active or not: it goes on without a gap. kUnchanged if it was. Needed for
// nothing but the moment: every function that needs it does it. The main thread is registered with this or its first
// start, as "GeckoMain", and stays so. `stack_top` is what callers of the original pass; the
// bounds of stacks are known here without it.
geckoprof::ProfilerOutcome profiler_init(void* stack_top = nullptr);

// Gives the recording back to base, which goes on to the end of the process. kUnchanged if it was not ours; kTimeout:
// it still is. Not from a callback after sampling (kWrongThread).
geckoprof::ProfilerOutcome profiler_shutdown();

// Starts recording.
// - While base records of itself (from the environment, or started through base's API), what it recorded is kept and
//   only the parameters change: the recording is ours from then on. A recording of ours is stopped, what it holds
//   discarded, and a new one started: so a SECOND start discards also what base had recorded since exec. What can be
//   known beforehand is refused first (kExcluded), and the recording goes on; if a start fails after the stop,
//   listeners hear Stopping.
// - Where there is too little space or a limit, the buffer is smaller than asked for, or stays as it was; so does a
//   larger one of a recording that goes on: kDone with a text that says so, and profiler_get_start_params has what is
//   in effect.
// - capacity_entries: rounded up to a power of two. interval_ms <= 0: the default. features: 0 means the default ones.
// - filters: parts of names of threads, in any case; none, or "*": all threads; "pid:123": only in that process.
//   The first 32 count, of each the first 63 bytes: kDone with a text that says so where there are more.
// - duration_s: sampling ends by itself so long after this call, also in a recording that base began before it; where
//   it is nothing, 0 or less: never.
geckoprof::ProfilerStartResult profiler_start(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                              const char* const* filters = nullptr, uint32_t filter_count = 0,
                                              std::optional<double> duration_s = std::nullopt);

// The same, but a recording of ours with parameters that mean the same goes on (kUnchanged). With others it is
// discarded, base's part since exec included.
geckoprof::ProfilerStartResult profiler_ensure_started(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                                       const char* const* filters = nullptr, uint32_t filter_count = 0,
                                                       std::optional<double> duration_s = std::nullopt);

// Discards what was recorded, unless a recorder outside of the process holds it.
geckoprof::ProfilerOutcome profiler_stop();

// Neither samples nor markers.
geckoprof::ProfilerOutcome profiler_pause();
geckoprof::ProfilerOutcome profiler_resume();
// No samples; markers go on. The two kinds of pause are independent of each other.
geckoprof::ProfilerOutcome profiler_pause_sampling();
geckoprof::ProfilerOutcome profiler_resume_sampling();

// What this process is called in profiles, instead of its program's name: where several processes run one program. It
// stays so in later recordings; null or empty takes it back. `etld_plus_one` is a browser's, and ignored. kOldBase: the
// loaded base cannot do it.
geckoprof::ProfilerOutcome profiler_set_process_name(const char* name, const char* etld_plus_one = nullptr);

// The parameters that are in effect; zeros and nothing while inactive, or without memory. Pointers may be null.
void profiler_get_start_params(uint32_t* capacity_entries, std::optional<double>* duration_s, double* interval_ms,
                               uint32_t* features, std::vector<std::string>* filters);

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_CONTROL_H_
