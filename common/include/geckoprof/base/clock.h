// Clocks. CLOCK_MONOTONIC in nanoseconds is the reference everywhere. The cycle counter is a cheap substitute that a
// calibration maps onto it.
#ifndef GECKOPROF_BASE_CLOCK_H_
#define GECKOPROF_BASE_CLOCK_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/base/ids.h"

namespace geckoprof {

inline constexpr int64_t kNsPerUs = 1'000;
inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kNsPerSecond = 1'000'000'000;

// Returns ns on CLOCK_MONOTONIC. The call goes through the vDSO, so it takes some tens of ns and no system call.
// Context: any, once libc has been relocated.
int64_t MonotonicNs();

// Returns ns since the Unix epoch.
int64_t RealtimeNs();

// Returns the CPU time that a thread of this process has used so far, in ns. Returns -errno if the thread has ended. It
// is a system call of less than a microsecond. The value is up to date even if the thread runs on another core.
int64_t ThreadCpuNs(ThreadId thread);
// Returns the CPU time of the calling thread, in ns. The result is negative if a seccomp filter denies the call.
int64_t CurrentThreadCpuNs();
// Returns the CPU time of all threads of this process, ended ones included, in ns. The kernel asks each thread's clock.
int64_t ProcessCpuNs();

// Sleeps until an absolute time on CLOCK_MONOTONIC. Returns 0 or -errno.
int SleepUntilNs(int64_t deadline_ns);

// Returns a function of the vDSO (vdso(7)) by name, or null. libc calls the same functions. However, a sanitizer may
// have replaced the functions of libc, and its versions need a thread that libc knows. `image` is the address of the
// vDSO's ELF header, getauxval(AT_SYSINFO_EHDR). If it is 0, the result is null.
//
// Threads: any.
// Context: any, once the loader has relocated this library.
void* FindVdsoFunction(uintptr_t image, std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_CLOCK_H_
