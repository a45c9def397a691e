#ifndef GECKOPROF_CONTROL_FOLLOWED_PROCESSES_H_
#define GECKOPROF_CONTROL_FOLLOWED_PROCESSES_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/control/controllable_process.h"
#include "geckoprof/control/running_segment.h"

namespace geckoprof {

// FollowedProcesses: the later descendants of a process, as far as base is in them. A forked child goes on with its
// parent's recording. A program that one of them executes has base again if it is preloaded, and is told to start.
//
//   Look: the children of each process  ->  those that are new, or run another program by now  ->  Start
//
// A program that ends between two looks is missed. Processes of other users are left alone, also by root.
// Threads: one at a time.
class FollowedProcesses {
 public:
  // Called for a program that records, once. The segment may have been found long after it began.
  struct Recording {
    void (*found)(void* context, const ControllableProcess& process, const RunningSegment& segment) = nullptr;
    void* context = nullptr;
  };

  // `first` is not told anything. `settings` are lines as in an environment, for those that are told to start.
  FollowedProcesses(pid_t first, uid_t user, std::vector<std::string> settings);

  // Sends commands to all, such as those of pauses and their ends, and to programs that start from now on. A process
  // that does not answer in time gets them again with later looks.
  void BringTo(std::vector<ControlCommand> commands, int64_t patience_ns);

  // Looks, and waits for those that are told to start, for `patience_ns` at most.
  void Look(int64_t patience_ns, const Recording& recording);
  void Look(int64_t patience_ns) { Look(patience_ns, {}); }

  // Returns the processes that were alive at the last look, without the first.
  std::vector<pid_t> pids() const;
  // Returns the processes that can be told something now.
  std::vector<ControllableProcess> Find() const;
  // Returns how many that can be told something did not answer in time.
  size_t Command(ControlCommand command, int64_t patience_ns) const;

 private:
  struct Program {
    uint64_t start_ticks = 0;    // of the process
    uint64_t stack_address = 0;  // the kernel chooses another one for each program
    bool operator==(const Program&) const = default;
  };
  struct Process {
    pid_t pid = 0;
    Program program;
    int tries = 0;         // that are left to start its program
    int behind_tries = 0;  // that are left to bring it to where it should be; 0: it is there
  };
  static constexpr int kTries = 100;

  static Program ProgramOf(pid_t pid);
  void AddChildren();
  void RemoveEnded();
  void StartNew(int64_t patience_ns, const Recording& recording);
  void CatchUp(int64_t patience_ns);

  const pid_t first_;
  const uid_t user_;
  const std::vector<std::string> settings_;
  std::vector<ControlCommand> wanted_;  // of BringTo
  std::vector<Process> processes_;      // by pid
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_FOLLOWED_PROCESSES_H_
