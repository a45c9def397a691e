#include "tools/record/late_processes.h"

#include <unistd.h>

#include "geckoprof/base/fd.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {

std::vector<LateProcess> ProcessesOfSession(std::string_view session) {
  std::vector<LateProcess> found;
  for (const pid_t pid : ProcessIds()) {
    const std::string folder = Concat("/proc/", pid);
    if (pid == getpid() || !IsOfSession(folder, session)) continue;
    LateProcess process;
    if (ReadWholeFile(Concat(folder, "/comm").c_str(), process.name) != 0) continue;
    if (process.name.ends_with('\n')) process.name.pop_back();
    const pid_t innermost = PidNamespaces::InnermostPid(folder);
    process.pid = innermost != 0 ? innermost : pid;
    process.pid_namespace = PidNamespaces::NumberOf(folder);
    found.push_back(std::move(process));
  }
  return found;
}

bool IsOfSession(const std::string& folder, std::string_view session) {
  const std::string wanted = Concat("GECKOPROF_SESSION_DIR=", session, std::string_view("\0", 1));
  // A process that waits to be waited for has no environment any more.
  std::string text;
  if (ReadWholeFile(Concat(folder, "/environ").c_str(), text) != 0) return false;
  const size_t at = text.find(wanted);
  return at != std::string::npos && (at == 0 || text[at - 1] == '\0');
}

}  // namespace geckoprof
