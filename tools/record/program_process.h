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
#include <utility>

#include "tools/record/launch_environment.h"
#include "tools/record/signal_sender.h"

namespace geckoprof {

// ProgramProcess: the recorded program as a child, and the recorder's signals while it lives.
//
//   SIGINT, SIGQUIT    The terminal sends them to both. The recorder ignores them, and the program decides.
//   Keep               The signal means the recorder if it would be passed on to the program.
//   IsPassedOn         The sender means the program. They are passed on with their value, unless both got them as
//                      one group (GroupWitness). The program itself, or a process that comes from it (ProgramFamily),
//                      means its parent. Their signals go to the recorder's parent, which is the bare program's.
//   SIGXCPU, SIGXFSZ   They are passed on if a process sends them. The recorder's own limits only make its writes fail.
//   SIGPROF, SIGVTALRM They are passed on if a process sends them. A library that is preloaded into the recorder may
//                      have a timer of its own.
//   SIGPIPE            It is ignored for good, so that a closed stderr does not cost the profile.
//   SIGTSTP            It is passed on. The recorder stops when the program does, and continues with it (ProgramStops).
//   SIGCONT            It continues a program that is stopped. SIGSTOP stops the recorder alone.
//   SIGWINCH           It means nothing to the recorder.
// The program itself starts with the dispositions and the mask that the recorder was started with. nohup and background
// shells therefore mean the same to it.
//
// If the recorder is the first process of a container, it takes the statuses of orphans too.
//
// Threads: the recorder must have only one until Wait has returned. Only one object may exist at a time.
// Lifetime: the destructor restores the recorder's dispositions, except that of SIGPIPE. It does nothing if the signals
// were handed over to WritingSignals. The signals are held back until then.
class ProgramProcess {
 public:
  // `session` is that of ProgramFamily.
  explicit ProgramProcess(std::string session = {});
  ~ProgramProcess();
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;

  // The step that failed, with errno. After a failure of kFork the program never began.
  enum class Step : uint8_t { kStarted, kFork, kExec };
  struct Failure {
    Step step = Step::kStarted;
    int error = 0;
  };

  // Starts the program. `arguments` ends with a null pointer.
  Failure Start(const char* path, char* const* arguments, LaunchEnvironment& environment);

  // The end of the program, which has an exit status or a signal.
  struct End {
    int exit_status = 0;
    int signal = 0;         // 0: none
    bool dumped = false;    // the kernel wrote a core dump
    int64_t cpu_ns = -1;    // user and system time, with all children that were waited for; negative: unknown
    std::string name = {};  // the kernel's name of the program that ran last; empty: unknown
    // Returns the status that a shell shows.
    int ShellStatus() const { return signal != 0 ? 128 + signal : exit_status; }
  };

  // Returns true for the signals of the table above, and for real-time signals.
  static bool IsPassedOn(int signal_number);

  // From now on this signal means the recorder, where it would be passed on to the program. It makes Wait call `look`
  // at once. TakeKept returns whether one came since the last call.
  void Keep(int signal_number) { kept_signal_ = signal_number; }
  bool TakeKept() { return std::exchange(has_kept_, false); }

  // The signal that makes Wait call `look` soon.
  static constexpr int kLookSignal = SIGURG;
  // Waits until the program ends, and passes signals on. It calls `look` now and then, which returns the number of ns
  // until its next call.
  End Wait(const std::function<int64_t()>& look);

  // The destructor leaves the signals as they are, because another object handles them from now on.
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
  std::optional<GroupWitness> witness_;  // exists while there may be signals to pass on
  pid_t pid_ = -1;
  std::string last_name_;
  int kept_signal_ = 0;  // 0: none
  bool has_kept_ = false;
  bool handed_over_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_
