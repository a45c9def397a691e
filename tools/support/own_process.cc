#include "tools/support/own_process.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "absl/status/status.h"

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

absl::StatusOr<std::string> OwnFolder() {
  char own[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof(own));
  if (length <= 0 || static_cast<size_t>(length) == sizeof(own)) {
    return absl::NotFoundError("cannot tell where geckoprof lies: /proc/self/exe is not readable (is /proc mounted?)");
  }
  const std::string path(own, static_cast<size_t>(length));
  return path.substr(0, path.rfind('/'));
}

}  // namespace geckoprof
