#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/record/group_witness.h"
#include "tools/record/launch_environment.h"
#include "tools/record/program_family.h"

namespace geckoprof {

// ProgramProcess: the recorded program as a child, and the recorder's signals while it lives.
//
//   SIGINT, SIGQUIT    the terminal sends them to both; the recorder ignores them, the program decides
//   IsPassedOn         whoever sends them to the recorder means the program: they are passed on, with their value,
//                      unless both got them as one group (GroupWitness); all would end the recorder otherwise. What
//                      the program itself, or a process that comes from it (ProgramFamily), sends to its parent
//                      is sent to the recorder's parent, who would be the program's without us
//   SIGXCPU, SIGXFSZ   likewise where somebody sends them; the recorder's own limits only make its writes fail
//   SIGPIPE            ignored for good: a closed stderr must not cost the profile
//   SIGTSTP            likewise; the recorder stops when the program does, and goes on with it (ProgramStops)
//   SIGCONT            continues a program that is stopped; SIGSTOP stops the recorder alone
//   SIGWINCH           means nothing to the recorder
// The program itself starts with the dispositions and the mask that the recorder was started with, so that nohup and
// background shells mean the same to it.
//
// Where the recorder is the first process of a container it takes the orphans' statuses, too.
//
// Threads: the recorder must have only one until Wait has returned. One object at a time.
// Lifetime: the destructor gives the recorder its own dispositions back (but for SIGPIPE), unless the signals were
// handed over to WritingSignals; until then they are held back.
class ProgramProcess {
 public:
  // `session`: as for ProgramFamily.
  explicit ProgramProcess(std::string session = {});
  ~ProgramProcess();
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;

  // What went wrong: errno of pipe or fork (then the program never began), or of exec.
  enum class Step : uint8_t { kStarted, kFork, kExec };
  struct Failure {
    Step step = Step::kStarted;
    int error = 0;
  };

  // Starts the program. `arguments` ends with a null pointer.
  Failure Start(const char* path, char* const* arguments, LaunchEnvironment& environment);

  // How the program ended: its exit status, or the signal.
  struct End {
    int exit_status = 0;
    int signal = 0;         // 0: none
    int64_t cpu_ns = -1;    // user and system time, with all children that were waited for; negative: not known
    std::string name = {};  // the kernel's, of the program that ran last; empty: not known
    // As a shell puts it.
    int ShellStatus() const { return signal != 0 ? 128 + signal : exit_status; }
  };

  // Real-time signals among them.
  static bool IsPassedOn(int signal_number);

  // The signal that makes Wait call `look` soon.
  static constexpr int kLookSignal = SIGURG;
  // Waits until the program ends, passing signals on. Meanwhile calls `look` now and then; it returns after how many ns
  // it is due again.
  End Wait(const std::function<int64_t()>& look);

  // From now on somebody else sees to the signals: the destructor leaves them as they are.
  void HandOverSignals() { handed_over_ = true; }

  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void RunChild(const char* path, char* const* arguments, LaunchEnvironment& environment,
                             char* const* envp, int error_pipe);

  bool SharesGroup() const { return getpgid(pid_) == getpgrp(); }
  void PassOn(const siginfo_t& signal);
  void ReadName();
  void ReapOrphans() const;
  End WaitFor(const std::function<int64_t()>& look);

  static constexpr std::array<int, 4> kChanged = {SIGINT, SIGQUIT, SIGCHLD, SIGPIPE};
  struct sigaction saved_actions_[kChanged.size()] = {};
  sigset_t saved_mask_;
  sigset_t waited_for_;
  const ProgramFamily family_;
  std::optional<GroupWitness> witness_;  // while there may be signals to pass on
  pid_t pid_ = -1;
  std::string last_name_;
  bool handed_over_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_
