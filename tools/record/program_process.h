#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

#include "tools/record/launch_environment.h"

namespace geckoprof {

// ProgramProcess: the recorded program as a child, and the recorder's signals while it lives.
//
//   SIGINT, SIGQUIT   the terminal sends them to both; the recorder ignores them, the program decides
//   SIGTERM, SIGHUP   whoever sends them to the recorder means the program: they are passed on
//   SIGPIPE           ignored for good: a closed stderr must not cost the profile
// The program itself starts with the dispositions and the mask that the recorder was started with, so that nohup and
// background shells mean the same to it.
//
// Threads: the recorder must have only one while this object lives. One object a process.
// Lifetime: the destructor gives the recorder its own dispositions back (but for SIGPIPE).
class ProgramProcess {
 public:
  ProgramProcess();
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

  // Waits until the program ends, passing signals on. Returns its exit status, 128 + n if signal n ended it.
  int Wait();

  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void RunChild(const char* path, char* const* arguments, LaunchEnvironment& environment,
                             char* const* envp, int error_pipe);

  static constexpr std::array<int, 4> kChanged = {SIGINT, SIGQUIT, SIGCHLD, SIGPIPE};
  struct sigaction saved_actions_[kChanged.size()] = {};
  sigset_t saved_mask_;
  sigset_t waited_for_;
  pid_t pid_ = -1;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_PROCESS_H_
