#ifndef GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_
#define GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace geckoprof {

// What /proc/PID/stat says (stat(5) in proc).
struct ProcessState {
  char letter = 0;       // of the first thread: R, S, D, T, t, Z, ...
  pid_t parent = 0;      // 0: none in this pid namespace
  int64_t start_s = 0;   // since the machine's start
  int thread_count = 0;  // those that ended last and were not waited for included

  // Whether a thread may run again: it is not just waiting to be waited for.
  bool Lives() const { return letter != 'Z' || thread_count > 1; }
};

// Nothing: there is no such process, or no /proc.
std::optional<ProcessState> ReadProcessState(pid_t pid);

// Whether there is such a process, and a thread of it may run again. A process whose first
// thread alone has ended lives. Without /proc a zombie lives, too. Numbers below 1 are nobody's.
bool ProcessLives(pid_t pid);

// The processes of this machine, or pid namespace, as /proc has them, in no order; none without /proc.
std::vector<pid_t> ProcessIds();

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_
