#ifndef GECKOPROF_CONTROL_PROCESS_METER_H_
#define GECKOPROF_CONTROL_PROCESS_METER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/control/process_usage.h"

namespace geckoprof {

// ThreadSwitches adds up the context switches of all threads of a process. A look reads a few threads, so that a
// process with thousands costs no more than others. The switches of a thread after the last look at it are missing.
//
// Threads: one.
class ThreadSwitches {
 public:
  // Returns the sum by now. The pid 0 stands for the own process.
  uint64_t Look(pid_t pid);

 private:
  static constexpr size_t kMostThreads = 4;  // of a look

  struct Thread {
    pid_t tid;
    uint64_t switches;
  };

  void BeginRound(pid_t pid);

  std::vector<Thread> round_;  // the threads that were there at its begin, by tid
  size_t next_ = 0;            // of round_, to be read
  uint64_t sum_ = 0;
};

// ProcessMeter follows what one process uses. The recorder has one for each process of its tree, and the full library
// has one for its own process.
//
//   Look --> CPU clock --changed--> /proc/4711 --> usage()
//                      \--as before--> nothing, at the cost of one system call
//
// Threads: one.
class ProcessMeter {
 public:
  enum class Look : uint8_t { kSame, kChanged, kGone };

  // The pid 0 stands for the own process.
  explicit ProcessMeter(pid_t pid) : pid_(pid) {}

  // kGone: the process has ended, or another one has its pid, or there is no /proc.
  Look TakeLook();
  // The state at the last look that found a change. `start_ticks` is 0 before the first one.
  const ProcessUsage& usage() const { return usage_; }

  // Returns the ns until the next look, after looks that took this CPU time. Looks take at most 0.5 % of one core.
  static int64_t PauseNsAfter(int64_t cpu_ns);

 private:
  const pid_t pid_;
  ProcessUsage usage_;
  ThreadSwitches switches_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_PROCESS_METER_H_
