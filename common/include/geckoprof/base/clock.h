// Time. CLOCK_MONOTONIC in nanoseconds is the truth everywhere; the cycle counter is a cheap stand-in that a
// calibration maps onto it.
#ifndef GECKOPROF_BASE_CLOCK_H_
#define GECKOPROF_BASE_CLOCK_H_

#include <cstdint>

#include "geckoprof/base/ids.h"

namespace geckoprof {

inline constexpr int64_t kNsPerUs = 1'000;
inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kNsPerSecond = 1'000'000'000;

// ns on CLOCK_MONOTONIC. Through the vDSO: 27 ns, no system call. Safe in any context once libc has been relocated.
int64_t MonotonicNs();

// ns since the Unix epoch.
int64_t RealtimeNs();

// CPU time used so far by a thread of this process, in ns, or -errno (the thread has ended). A system call of 0.2 us;
// live, also for a thread that runs on another core.
int64_t ThreadCpuNs(ThreadId thread);
// The same of the calling thread; negative where a filter denies the call.
int64_t OwnCpuNs();

// Sleeps until an absolute time on CLOCK_MONOTONIC. Returns 0, or -errno.
int SleepUntilNs(int64_t deadline_ns);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_CLOCK_H_
