#include "tools/support/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/text_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Among the fields behind the name, which may hold anything.
constexpr size_t kStateField = 0;
constexpr size_t kParentField = 1;
constexpr size_t kThreadCountField = 17;
constexpr size_t kStartTicksField = 19;

// Returns what the file of that name in /proc/PID holds, up to the size of `room`. It is empty if there is no process.
absl::string_view ReadProcessFile(pid_t pid, const char* name, std::span<char> room) {
  char path[64];
  TextBuilder(path).Text("/proc/").Number(pid).Text(name);
  const Fd file = Fd::Open(path, O_RDONLY | O_CLOEXEC);
  const int64_t size = file.ok() ? file.ReadAt(0, {reinterpret_cast<uint8_t*>(room.data()), room.size()}) : -1;
  return {room.data(), static_cast<size_t>(std::max<int64_t>(size, 0))};
}

}  // namespace

std::optional<ProcessState> ReadProcessState(pid_t pid) {
  char room[1024];
  const absl::string_view text = ReadProcessFile(pid, "/stat", room);
  const size_t at = text.rfind(") ");
  if (at == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> fields = absl::StrSplit(text.substr(at + 2), ' ');
  ProcessState state;
  if (fields.size() <= kStartTicksField || fields[kStateField].size() != 1 ||
      !absl::SimpleAtoi(fields[kParentField], &state.parent) ||
      !absl::SimpleAtoi(fields[kThreadCountField], &state.thread_count) ||
      !absl::SimpleAtoi(fields[kStartTicksField], &state.start_ticks)) {
    return std::nullopt;
  }
  state.letter = fields[kStateField][0];
  return state;
}

std::optional<uid_t> ReadProcessUser(pid_t pid) {
  char room[4096];
  const absl::string_view text = ReadProcessFile(pid, "/status", room);
  constexpr absl::string_view kKey = "\nUid:\t";  // the process cannot put a line end into its name, which comes before
  const size_t at = text.find(kKey);
  if (at == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> ids = absl::StrSplit(text.substr(at + kKey.size()), absl::MaxSplits('\t', 2));
  uid_t user = 0;
  return ids.size() == 3 && absl::SimpleAtoi(ids[1], &user) ? std::optional(user) : std::nullopt;
}

int64_t ProcessState::StartNs() const {
  return static_cast<int64_t>(start_ticks) * (kNsPerSecond / sysconf(_SC_CLK_TCK));
}

bool ProcessLives(pid_t pid) {
  if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return false;
  const std::optional<ProcessState> state = ReadProcessState(pid);
  return !state.has_value() || state->Lives();
}

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
