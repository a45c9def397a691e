#include "tools/support/pid_namespaces.h"

#include <sys/stat.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "geckoprof/base/fd.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {

uint32_t PidNamespaces::NumberOf(const std::string& proc_folder) {
  struct stat info = {};
  return stat(Concat(proc_folder, "/ns/pid").c_str(), &info) == 0 ? static_cast<uint32_t>(info.st_ino) : 0;
}

// /proc/PID/status names all its numbers, outermost first.
pid_t PidNamespaces::InnermostPid(const std::string& proc_folder) {
  std::string status;
  if (ReadWholeFile(Concat(proc_folder, "/status").c_str(), status) != 0) return 0;
  for (absl::string_view line : absl::StrSplit(status, '\n')) {
    if (!absl::ConsumePrefix(&line, "NSpid:")) continue;
    pid_t pid = 0;
    return absl::SimpleAtoi(line.substr(line.rfind('\t') + 1), &pid) ? pid : 0;
  }
  return 0;
}

bool PidNamespaces::Lives(uint32_t pid_namespace, pid_t pid) {
  if (IsOurs(pid_namespace)) return ProcessLives(pid);
  if (!others_.has_value()) others_ = FindOthers();
  return others_->contains({pid_namespace, pid});
}

PidNamespaces::Places PidNamespaces::FindOthers() const {
  Places found;
  for (const pid_t pid : ProcessIds()) {
    const std::string folder = Concat("/proc/", pid);
    const uint32_t pid_namespace = NumberOf(folder);
    if (IsOurs(pid_namespace)) continue;
    const std::optional<ProcessState> state = ReadProcessState(pid);
    if (state.has_value() && state->Lives()) found.emplace(pid_namespace, InnermostPid(folder));
  }
  return found;
}

}  // namespace geckoprof
