#ifndef GECKOPROF_TOOLS_RECORD_GROUP_WITNESS_H_
#define GECKOPROF_TOOLS_RECORD_GROUP_WITNESS_H_

#include <signal.h>
#include <sys/types.h>

namespace geckoprof {

// GroupWitness: whether a signal that the recorder got was sent to its whole process group (a shell's `kill %1`, a
// script's `kill 0`), so that the program has it already. The kernel does not tell its receivers.
//
//   kill(-group)    ----> recorder, program, witness     the witness has it pending: not passed on
//   kill(recorder)  ----> recorder                       passed on
//
// The witness is a child that has every signal blocked and never takes one; what is pending there is read from its
// status file. One that has something is put aside for a new one as soon as the recorder has nothing pending itself, so
// that signals which queue are told apart, too. Where there is none (no process to be had, no /proc), nothing was sent
// to a group.
//
// Threads: one, and no other in the process. Lifetime: the child ends with the object, or with the recorder.
class GroupWitness {
 public:
  GroupWitness() : child_(Start()) {}
  ~GroupWitness() { End(child_); }
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  // Of a signal that has just come.
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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_GROUP_WITNESS_H_
