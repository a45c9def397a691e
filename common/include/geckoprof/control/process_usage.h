#ifndef GECKOPROF_CONTROL_PROCESS_USAGE_H_
#define GECKOPROF_CONTROL_PROCESS_USAGE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace geckoprof {

// ProcessUsage has what the kernel counts for a process. All counts are since the start of the process, and go on when
// it executes another program.
struct ProcessUsage {
  static constexpr uint64_t kUnknown = UINT64_MAX;

  uint64_t start_ticks = 0;  // start of the process, in ticks since the machine's start (proc(5), "starttime")
  uint64_t cpu_ns = 0;       // user and kernel time of all threads, ended ones included
  uint64_t resident_bytes = 0;
  uint64_t minor_faults = 0, major_faults = 0;  // page faults without and with a read from a disk
  // Bytes of read(2), write(2) and alike, of all kinds of files (proc(5), "rchar"). kUnknown: this user may not know.
  uint64_t read_bytes = kUnknown, written_bytes = kUnknown;
  uint64_t thread_count = 0;
  // Context switches of all threads. ReadProcessUsage leaves them out (ThreadSwitches).
  uint64_t switches = 0;
};

// The pid 0 stands for the own process in all functions below.

// Returns the CPU time of a process in ns, or nothing if there is no such process. Costs one system call.
std::optional<uint64_t> ReadProcessCpuNs(pid_t pid);

// Returns nothing if there is no such process, or no /proc. Takes some tens of microseconds.
//
// Threads: any. Context: not signal context. It allocates nothing and takes no lock.
std::optional<ProcessUsage> ReadProcessUsage(pid_t pid);

// Returns how often a thread of a process gave up its core, or lost it. Returns nothing if there is no such thread.
std::optional<uint64_t> ReadThreadSwitches(pid_t pid, pid_t tid);

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_PROCESS_USAGE_H_
