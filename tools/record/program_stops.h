#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_STOPS_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_STOPS_H_

#include <signal.h>
#include <sys/types.h>

namespace geckoprof {

// ProgramStops: shows the program's stops to whoever started the recorder, as job control wants it: the shell waits for
// the recorder, not for the program.
//
//   program stops by a signal ----> the recorder stops by the same
//   recorder is continued     ----> it continues the program, in the foreground if it was there as a group of its own
//   program is continued,     ----> so is the recorder, by a process that looks after it meanwhile: a recorder that
//   or ends, all the same           stays stopped would keep the program's end from its parent
//
// Where SIGTSTP, SIGTTIN or SIGTTOU has no effect on the recorder (an orphaned process group: no shell would continue
// it), it goes on waiting. Without /proc it never stops.
//
// Threads: one, and no other in the process. REQUIRES: SIGCONT, SIGTSTP and SIGCHLD are blocked.
class ProgramStops {
 public:
  explicit ProgramStops(pid_t program) : program_(program) {}

  // As waitpid said. OnStopped returns when the recorder is continued.
  void OnStopped(int signal_number);
  void OnContinued() { is_stopped_ = false; }

  // The recorder was sent SIGCONT.
  void OnOwnContinue(const siginfo_t& signal);

 private:
  void StopSelf(int signal_number);
  bool StartWatcher();
  void EndWatcher();
  bool HasStoppedAnew() const;

  const pid_t program_;
  pid_t watcher_ = -1;  // the last one's; it may have ended
  bool is_stopped_ = false;
  pid_t front_group_ = 0;  // the program's process group if it was the terminal's, and is not ours
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_STOPS_H_
