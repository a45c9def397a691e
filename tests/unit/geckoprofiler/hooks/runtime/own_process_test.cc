#include "runtime/own_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

int StatusOf(pid_t child) {
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

TEST_CASE("a child of fork is the own process, and a child of vfork is not") {
  OwnProcess::Prepare();
  CHECK(OwnProcess::IsCurrent());
  CHECK(OwnProcess::id() == getpid());
  const pid_t forked = fork();
  if (forked == 0) _exit(OwnProcess::IsCurrent() && OwnProcess::id() == getpid() ? 0 : 1);
  CHECK(StatusOf(forked) == 0);
  static volatile bool is_current = true;
  const pid_t vforked = vfork();  // NOLINT: the case
  if (vforked == 0) {
    is_current = OwnProcess::IsCurrent();
    _exit(0);
  }
  CHECK(StatusOf(vforked) == 0);
  CHECK_FALSE(is_current);
  CHECK(OwnProcess::IsCurrent());
}

}  // namespace
}  // namespace geckoprof
