#include "tools/support/end_by_signal.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

namespace geckoprof {

void EndBySignal(int signal_number) {
  constexpr rlimit kNoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &kNoCore);
  signal(signal_number, SIG_DFL);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal_number);
  sigprocmask(SIG_UNBLOCK, &this_one, nullptr);
  raise(signal_number);
  _exit(128 + signal_number);
}

}  // namespace geckoprof
