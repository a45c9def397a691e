#include "geckoprof/base/signals_blocked.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

KernelSignalSet OwnMask() {
  KernelSignalSet mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
  return mask;
}

TEST_CASE("signals are blocked for as long as the object lives, and the mask is as before") {
  const KernelSignalSet before = OwnMask();
  {
    const SignalsBlocked some(SignalBit(SIGUSR1) | SignalBit(SIGPIPE));
    CHECK(some.before() == before);
    CHECK(OwnMask() == (before | SignalBit(SIGUSR1) | SignalBit(SIGPIPE)));
    {
      const SignalsBlocked every;
      CHECK((OwnMask() | SignalBit(SIGKILL) | SignalBit(SIGSTOP)) == kEverySignal);
    }
    CHECK(OwnMask() == (before | SignalBit(SIGUSR1) | SignalBit(SIGPIPE)));
  }
  CHECK(OwnMask() == before);
}

}  // namespace
}  // namespace geckoprof
