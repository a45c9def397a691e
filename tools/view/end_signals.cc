#include "tools/view/end_signals.h"

#include <sys/wait.h>

namespace geckoprof {

EndSignals::EndSignals() {
  sigemptyset(&awaited_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&awaited_, number);
  }
  sigaddset(&awaited_, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
}

EndSignals::~EndSignals() {
  const timespec now = {};
  while (sigtimedwait(&awaited_, nullptr, &now) > 0) continue;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndSignals::Wait(const std::function<void(pid_t child, int status)>& child_ended) const {
  for (;;) {
    const int number = sigwaitinfo(&awaited_, nullptr);
    if (number < 0) continue;  // EINTR: stopped and continued
    if (number != SIGCHLD) return;
    int status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) child_ended(child, status);
  }
}

}  // namespace geckoprof
