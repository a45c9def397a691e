#include "tools/support/process_state.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "tools/text/concat.h"

namespace geckoprof {

std::vector<pid_t> ProcessIds() {
  std::vector<pid_t> found;
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc", error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    pid_t pid = 0;
    if (absl::SimpleAtoi(entries->path().filename().native(), &pid)) found.push_back(pid);
  }
  return found;
}

uint32_t PidNamespaces::NumberOf(const std::string& proc_folder) {
  struct stat info = {};
  return stat(Concat(proc_folder, "/ns/pid").c_str(), &info) == 0 ? static_cast<uint32_t>(info.st_ino) : 0;
}

// /proc/PID/status names all its numbers, outermost first.
pid_t PidNamespaces::InnermostPid(const std::string& proc_folder) {
  const std::string numbers = ReadStatusField(proc_folder, "NSpid").value_or("");
  pid_t pid = 0;
  return absl::SimpleAtoi(numbers.substr(numbers.rfind('\t') + 1), &pid) ? pid : 0;
}

bool PidNamespaces::Lives(uint32_t pid_namespace, pid_t pid) {
  if (IsOurs(pid_namespace)) return ProcessLives(pid);
  if (!others_.has_value()) others_ = FindOthers();
  return others_->contains({pid, pid_namespace});
}

std::map<NamespacedPid, pid_t> PidNamespaces::FindOthers() const {
  std::map<NamespacedPid, pid_t> found;
  for (const pid_t pid : ProcessIds()) {
    const std::string folder = Concat("/proc/", pid);
    const uint32_t pid_namespace = NumberOf(folder);
    if (IsOurs(pid_namespace)) continue;
    const std::optional<ProcessState> state = ReadProcessState(pid);
    if (state.has_value() && state->Lives()) found[{InnermostPid(folder), pid_namespace}] = pid;
  }
  return found;
}

}  // namespace geckoprof
