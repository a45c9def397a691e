// Where a signal that the recorder got comes from, and whom it was sent to.
#ifndef GECKOPROF_TOOLS_RECORD_SIGNAL_SENDER_H_
#define GECKOPROF_TOOLS_RECORD_SIGNAL_SENDER_H_

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

namespace geckoprof {

// GroupWitness tells whether a signal of the recorder was sent to its whole process group, as a shell's `kill %1` or a
// script's `kill 0` does. The program then has the signal already. The kernel does not tell the receivers.
//
//   kill(-group)    ----> recorder, program, witness     the witness has it pending: not passed on
//   kill(recorder)  ----> recorder                       passed on
//
// The witness is a child with every signal blocked. Its status file shows the pending ones. A witness with a pending
// signal is replaced as soon as the recorder has no pending signal, so that queued signals are told apart, too. Without
// a witness (no process, or no /proc) no signal counts as sent to a group.
//
// Threads: one, and no other in the process. Lifetime: the child ends with the object, or with the recorder.
class GroupWitness {
 public:
  GroupWitness() : child_(Start()) {}
  ~GroupWitness() { End(child_); }
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  // Returns whether the signal, which has just come, was sent to the group.
  bool HasSeen(int signal_number);

  // To be called before waiting for signals. `waited_for`: those of which HasSeen is asked.
  void Renew(const sigset_t& waited_for);

  pid_t pid() const { return child_; }  // below 1: there is none

 private:
  static pid_t Start();
  static void End(pid_t child);

  pid_t child_;
  bool is_used_ = false;  // it has seen a signal
};

// ProgramFamily tells whether a process is the recorded program or a descendant of it. Three things show it: its
// parents, the environment that it inherited, and, if it has ended, its files in the session directory. An orphan with
// an environment of its own that ended unrecorded counts as a stranger.
//
// Threads: one.
class ProgramFamily {
 public:
  // `session` is the path of its directory, or empty without a session.
  explicit ProgramFamily(std::string session) : session_(std::move(session)) {}

  // `process`: as the kernel gives it to the recorder with a signal.
  bool Has(pid_t process, pid_t program) const;

 private:
  bool HasLeftData(pid_t process) const;

  const std::string session_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SIGNAL_SENDER_H_
