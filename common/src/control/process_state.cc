#include "geckoprof/control/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/directory.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/config/start_number.h"

namespace geckoprof {
namespace {

// Among the fields behind the name, which may hold anything.
constexpr size_t kStateField = 0;
constexpr size_t kParentField = 1;
constexpr size_t kFlagsField = 6;
constexpr size_t kMinorFaultsField = 7;
constexpr size_t kMajorFaultsField = 9;
constexpr size_t kUserTicksField = 11;
constexpr size_t kSystemTicksField = 12;
constexpr size_t kWaitedUserTicksField = 13;
constexpr size_t kWaitedSystemTicksField = 14;
constexpr size_t kThreadCountField = 17;
constexpr size_t kStartTicksField = 19;
constexpr size_t kResidentField = 21;
constexpr size_t kStackField = 25;

int64_t NsPerTick() { return kNsPerSecond / sysconf(_SC_CLK_TCK); }

// Returns what the file of that name in /proc/PID holds, up to the size of `room`. It is empty if there is no process.
std::string_view ReadProcessFile(pid_t pid, const char* name, std::span<char> room) {
  char path[64];
  ProcFolder(pid, path).Text(name);
  const Fd file = Fd::Open(path, O_RDONLY);
  const int64_t size = file.ok() ? file.ReadAt(0, {reinterpret_cast<uint8_t*>(room.data()), room.size()}) : -1;
  return {room.data(), static_cast<size_t>(std::max<int64_t>(size, 0))};
}

// Takes the first word and the separators around it from `text`.
std::string_view TakeWord(std::string_view& text, const char* separators) {
  text.remove_prefix(std::min(text.find_first_not_of(separators), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

TextBuilder ProcFolder(pid_t pid, std::span<char> room) {
  TextBuilder path(room);
  path.Text("/proc/");
  return pid == 0 ? path.Text("self") : path.Number(pid);
}

std::optional<ProcessState> ReadProcessState(pid_t pid) {
  constexpr uint64_t kOfKernel = 0x200000;  // the kernel's PF_KTHREAD
  char room[1024];
  std::string_view text = ReadProcessFile(pid, "/stat", room);
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 2);
  std::string_view fields[kStackField + 1];
  for (std::string_view& field : fields) field = TakeWord(text, " \n");
  const auto parent = ParseDecimal(fields[kParentField]), flags = ParseDecimal(fields[kFlagsField]);
  const auto threads = ParseDecimal(fields[kThreadCountField]), start = ParseDecimal(fields[kStartTicksField]);
  if (fields[kStateField].size() != 1 || !parent || !flags || !threads || !start) return std::nullopt;
  ProcessState state;
  state.letter = fields[kStateField][0];
  state.parent = static_cast<pid_t>(*parent);
  state.start_ticks = *start;
  state.is_of_kernel = (*flags & kOfKernel) != 0;
  state.thread_count = static_cast<int>(*threads);
  state.stack_address = ParseDecimal(fields[kStackField]).value_or(0);
  const auto ns_of = [](std::string_view ticks) {
    return static_cast<int64_t>(ParseDecimal(ticks).value_or(0)) * NsPerTick();
  };
  state.user_cpu_ns = ns_of(fields[kUserTicksField]);
  state.system_cpu_ns = ns_of(fields[kSystemTicksField]);
  state.waited_cpu_ns = ns_of(fields[kWaitedUserTicksField]) + ns_of(fields[kWaitedSystemTicksField]);
  state.minor_faults = ParseDecimal(fields[kMinorFaultsField]).value_or(0);
  state.major_faults = ParseDecimal(fields[kMajorFaultsField]).value_or(0);
  state.resident_bytes =
      ParseDecimal(fields[kResidentField]).value_or(0) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return state;
}

std::optional<uid_t> ReadProcessUser(pid_t pid) {
  char room[4096];
  std::string_view text = ReadProcessFile(pid, "/status", room);
  constexpr std::string_view kKey = "\nUid:\t";  // the process cannot put a line end into its name, which comes before
  const size_t at = text.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kKey.size());
  TakeWord(text, "\t");  // the real user
  const auto user = ParseDecimal(TakeWord(text, "\t\n"));
  return user.has_value() ? std::optional(static_cast<uid_t>(*user)) : std::nullopt;
}

std::optional<std::string> ReadStatusField(const std::string& proc_folder, std::string_view name) {
  std::string text;
  if (ReadWholeFile((proc_folder + "/status").c_str(), text) != 0) return std::nullopt;
  const std::string key = "\n" + std::string(name) + ":\t";
  const size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  const size_t begin = at + key.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<std::string> ReadCommandLine(pid_t pid) {
  std::string text;
  std::vector<std::string> words;
  if (ReadWholeFile(("/proc/" + std::to_string(pid) + "/cmdline").c_str(), text) != 0 || text.empty()) return words;
  if (text.back() != '\0') text.push_back('\0');
  for (size_t at = 0; at < text.size(); at += words.back().size() + 1) words.emplace_back(text.c_str() + at);
  return words;
}

int64_t ProcessState::StartNs() const { return static_cast<int64_t>(start_ticks) * NsPerTick(); }

bool ProcessLives(pid_t pid) {
  if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return false;
  const std::optional<ProcessState> state = ReadProcessState(pid);
  return !state.has_value() || state->Lives();
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  int error = 0;
  for (const std::string& thread : NamesIn(tasks, error)) {
    std::string text;
    if (ReadWholeFile((tasks + "/" + thread + "/children").c_str(), text) != 0) continue;
    for (std::string_view rest = text; !rest.empty();) {
      const auto child = ParseDecimal(TakeWord(rest, " "));
      if (child.has_value()) children.push_back(static_cast<pid_t>(*child));
    }
  }
  return children;
}

std::vector<std::string> NamesIn(const std::string& folder, int& error) {
  std::vector<std::string> names;
  const Fd directory = Fd::Open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  error = directory.error();
  if (!directory.ok()) return names;
  error = ForEachEntry(directory, [&names](std::string_view name) {
    if (name != "." && name != "..") names.emplace_back(name);
  });
  return names;
}

}  // namespace geckoprof
