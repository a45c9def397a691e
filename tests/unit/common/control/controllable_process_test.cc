#include "geckoprof/control/controllable_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

std::string ErrorOf(pid_t pid) {
  std::string why;
  const bool is_found = ControllableProcess::Find(pid, why).has_value();
  CHECK(is_found == why.empty());
  return why;
}

// A child that waits until it is killed, and is waited for at the end.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) pause();
    }
  }
  ~Child() {
    Kill();
    waitpid(pid_, nullptr, 0);
  }
  void Kill() const { kill(pid_, SIGKILL); }
  void AwaitEnd() const {
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  pid_t pid() const { return pid_; }

 private:
  const pid_t pid_;
};

TEST_CASE("a process without base is not controllable, and the error says how to start it") {
  const Child child;
  CHECK(ErrorOf(child.pid()).find("has no libbaseprofiler.so") != std::string::npos);
  CHECK(ErrorOf(child.pid()).find("LD_PRELOAD") != std::string::npos);
}

TEST_CASE("no process, a number out of range and a zombie have an error each") {
  CHECK(ErrorOf(0) == "0 is no process");
  CHECK(ErrorOf(-5) == "-5 is no process");
  CHECK(ErrorOf(INT32_MAX) == "there is no process 2147483647");
  const Child child;
  child.Kill();
  child.AwaitEnd();
  CHECK(ErrorOf(child.pid()).find("has ended (a zombie)") != std::string::npos);
}

TEST_CASE("the value of the control signal keeps the number and the flag, and is marked") {
  const uint64_t number = ControlValue::kNumberMask - 4711;
  for (const bool is_filtered : {false, true}) {
    siginfo_t info = {};
    info.si_code = SI_QUEUE;
    info.si_value.sival_ptr = ControlValue(number, is_filtered).pointer();
    CHECK(ControlValue::IsIn(info));
    CHECK(ControlValue(info).number() == number);
    CHECK(ControlValue(info).is_filtered() == is_filtered);
    info.si_code = SI_USER;
    CHECK_FALSE(ControlValue::IsIn(info));
  }
  siginfo_t other = {};
  other.si_code = SI_QUEUE;
  other.si_value.sival_int = -1;
  CHECK_FALSE(ControlValue::IsIn(other));
}

}  // namespace
}  // namespace geckoprof
