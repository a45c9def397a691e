#ifndef GECKOPROF_TOOLS_RECORD_TREE_WATCH_H_
#define GECKOPROF_TOOLS_RECORD_TREE_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/base/fd.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/support/process_state.h"

namespace geckoprof {

// TreeWatch looks at the tree of the recorded program from outside. It finds the programs that our code is not in. Such
// a program belongs to another user (su, sudo, setpriv), is privileged or statically linked, or has lost the variables.
//
//   Look:   the program -> its children (/proc/PID/task/TID/children) -> their children ...
//
//   process 4711    setpriv --reuid ...          id
//                   maps 4711-0.segment          has no segment          -> Unrecorded
//                   stack at 7ffd12345000        stack at 7ffe6789a000      exec moves the stack
//
// A process that was found stays known when its parent has ended. A process that ends between two looks is not found.
//
// Threads: one.
class TreeWatch {
 public:
  // `session` is the path of its directory. `with_arguments` is false if no command lines are to be recorded.
  TreeWatch(std::string session, pid_t program, bool with_arguments);

  // Looks at all processes, unless it is not due at `now_ns` (MonotonicNs). Returns after how many ns it is due again.
  int64_t Look(int64_t now_ns);

  // Takes note of the processes that have ended since the last look.
  void CollectEnds();

  // Forgets programs that ended before that time.
  void Forget(int64_t before_ns);

  // Returns the programs without a segment so far.
  std::vector<UnrecordedProgram> Unrecorded() const;
  // The statuses of their processes, in the form of waitpid(2), as far as the kernel tells them.
  const std::map<NamespacedPid, int>& statuses() const { return statuses_; }

 private:
  struct Process {
    pid_t parent = 0;
    uint64_t stack_address = 0;
    bool has_segment = false;   // of its own
    bool is_candidate = false;  // `program` says what is known of a program without a segment
    bool is_reason_certain = false;
    UnrecordedProgram program;
    int64_t user_before_ns = 0, system_before_ns = 0;  // CPU times when the program was seen first
    Fd handle;                                         // a pidfd, of candidates
  };

  bool LookAt(pid_t pid, Process& process, int64_t now_ns);
  void BeginProgram(pid_t pid, Process& process, int64_t now_ns);
  void CollectEnd(const Process& process);
  void EndProgram(Process& process);
  pid_t OwnerOfSegment(pid_t pid) const;
  bool FindReason(pid_t pid, std::string& reason) const;
  static bool IsUnrecorded(const Process& process);

  const std::string session_;
  const bool with_arguments_;
  const PidNamespaces namespaces_;
  std::map<pid_t, Process> live_;
  std::vector<UnrecordedProgram> ended_;
  std::map<NamespacedPid, int> statuses_;
  int64_t looked_ns_ = 0;  // the look before
  int64_t due_ns_ = 0, pause_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_TREE_WATCH_H_
