#ifndef GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_
#define GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace geckoprof {

// ProcessState has fields of /proc/PID/stat (proc(5)).
struct ProcessState {
  char letter = 0;           // of the first thread: R, S, D, T, t, Z, ...
  pid_t parent = 0;          // 0: none in this pid namespace
  uint64_t start_ticks = 0;  // since the machine's start, in units of sysconf(_SC_CLK_TCK)
  int thread_count = 0;      // those that ended last and were not waited for included

  // Returns the start in ns since the machine's start. The process began up to a tick later.
  int64_t StartNs() const;
  // Returns whether a thread may run again. A process that only waits to be waited for does not live.
  bool Lives() const { return letter != 'Z' || thread_count > 1; }
};

// Returns nothing if there is no such process, or no /proc.
std::optional<ProcessState> ReadProcessState(pid_t pid);

// Returns the effective user of a process, likewise.
std::optional<uid_t> ReadProcessUser(pid_t pid);

// Returns whether there is such a process, and a thread of it may run again. A process whose first thread alone has
// ended lives. Without /proc a zombie lives, too. No process has a number below 1.
bool ProcessLives(pid_t pid);

// Returns the processes of this machine, or pid namespace, as /proc has them, in no order. There are none without
// /proc.
std::vector<pid_t> ProcessIds();

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_
