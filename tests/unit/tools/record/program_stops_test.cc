#include "tools/record/program_stops.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// A recorder of a program that stops itself and then ends with 3. `program`: its pid, in shared memory.
[[noreturn]] void Record(int stop_signal, volatile pid_t* program) {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int number : {SIGCHLD, SIGTSTP, SIGCONT}) sigaddset(&blocked, number);
  setpgid(0, 0);  // not orphaned: the test is its parent
  const pid_t pid = fork();
  if (pid == 0) {
    raise(stop_signal);
    _exit(3);
  }
  *program = pid;
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  ProgramStops stops(pid);
  for (;;) {
    int status = 0;
    if (waitpid(pid, &status, WUNTRACED | WCONTINUED) != pid) _exit(1);
    if (WIFSTOPPED(status)) stops.OnStopped(WSTOPSIG(status));
    if (WIFCONTINUED(status)) stops.OnContinued();
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    if (WIFSIGNALED(status)) _exit(100);
  }
}

class Recorder {
 public:
  explicit Recorder(int stop_signal)
      : program_(static_cast<pid_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    pid_ = fork();
    if (pid_ == 0) Record(stop_signal, program_);
  }
  ~Recorder() { munmap(const_cast<pid_t*>(program_), 4096); }
  pid_t pid() const { return pid_; }
  pid_t program() const { return *program_; }
  int Status() const {
    int status = 0;
    REQUIRE(waitpid(pid_, &status, WUNTRACED) == pid_);
    return status;
  }

 private:
  volatile pid_t* program_;
  pid_t pid_ = -1;
};

TEST_CASE("the recorder stops as its program does, and continues it") {
  for (const int stop_signal : {SIGSTOP, SIGTSTP}) {
    INFO(stop_signal);
    const Recorder recorder(stop_signal);
    const int stopped = recorder.Status();
    REQUIRE(WIFSTOPPED(stopped));
    CHECK(WSTOPSIG(stopped) == stop_signal);
    REQUIRE(kill(recorder.pid(), SIGCONT) == 0);
    const int ended = recorder.Status();
    REQUIRE(WIFEXITED(ended));
    CHECK(WEXITSTATUS(ended) == 3);
  }
}

TEST_CASE("a program that somebody else continues, or ends, takes its recorder with it") {
  for (const int sent : {SIGCONT, SIGKILL}) {
    INFO(sent);
    const Recorder recorder(SIGSTOP);
    REQUIRE(WIFSTOPPED(recorder.Status()));
    REQUIRE(kill(recorder.program(), sent) == 0);
    const int ended = recorder.Status();
    REQUIRE(WIFEXITED(ended));
    CHECK(WEXITSTATUS(ended) == (sent == SIGCONT ? 3 : 100));
  }
}

TEST_CASE("SIGCONT means nothing where the program is not stopped") {
  ProgramStops stops(getpid());
  stops.OnStopped(SIGSTOP);  // it goes on already: nobody stops here
  stops.OnContinued();
  stops.OnOwnContinue({});
  SUCCEED();
}

}  // namespace
}  // namespace geckoprof
