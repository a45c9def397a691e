#include "tools/record/unrecorded_processes.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <type_traits>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kLatestNs = int64_t{1} << 61;  // 73 years after the machine's start
constexpr size_t kMostNameBytes = 15;
constexpr char kUnrecordedLoss[] = "unrecorded-program";

// Takes a number from the front, in the form in which the library writes it.
template <typename Number>
bool TakeNumber(std::string_view& text, Number& number, Number least = 1) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || number < least) return false;
  const auto length = static_cast<size_t>(result.ptr - text.data());
  if (Concat(number) != text.substr(0, length)) return false;
  text.remove_prefix(length);
  return true;
}

bool Take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

const ProgramStart* ProgramAt(std::span<const ProgramStart> starts, int32_t pid, int64_t time_ns,
                              uint32_t pid_namespace) {
  auto found = std::ranges::upper_bound(starts, ProgramStart{pid, time_ns, SIZE_MAX});
  while (found != starts.begin() && (--found)->pid == pid) {
    const bool are_known = found->pid_namespace != 0 && pid_namespace != 0;
    if (!are_known || found->pid_namespace == pid_namespace) return &*found;
  }
  return nullptr;
}

bool MarkedChild::Parse(std::string_view file_name, std::string_view target) {
  if (!Take(file_name, kChildPrefix) || !TakeNumber(file_name, pid)) return false;
  if (!Take(file_name, "-") || !TakeNumber(file_name, begin_ns) || begin_ns > kLatestNs) return false;
  end_ns = 0;
  exit = {};
  if (!file_name.empty()) {
    const auto take = [&file_name](auto& number) {
      return Take(file_name, "-") && TakeNumber(file_name, number, std::remove_reference_t<decltype(number)>{0});
    };
    const bool is_end = take(end_ns) && take(exit.status) && take(exit.user_cpu_ns) && take(exit.system_cpu_ns) &&
                        take(exit.peak_memory_bytes) && file_name.empty();
    if (!is_end || end_ns < begin_ns || end_ns > kLatestNs || exit.status > 0xff) return false;
    if (exit.user_cpu_ns > kLatestNs || exit.system_cpu_ns > kLatestNs) return false;
  }
  // The parent of a pid namespace's first process has no number there.
  if (!TakeNumber(target, parent_pid, 0) || !Take(target, " ") || target.size() > kMostNameBytes) return false;
  name = target;
  return true;
}

const ProgramStart* MarkedChild::FindProgram(std::span<const ProgramStart> starts, int64_t next_begin_ns) const {
  const auto first = std::ranges::lower_bound(starts, ProgramStart{pid, begin_ns, 0});
  if (first == starts.end() || first->pid != pid || first->start_ns >= next_begin_ns) return nullptr;
  return end_ns == 0 || first->start_ns <= end_ns ? &*first : nullptr;
}

const ProgramStart* MarkedChild::FindParent(std::span<const ProgramStart> starts) const {
  return ProgramAt(starts, parent_pid, begin_ns);
}

ProcessProfile MarkedChild::ToProcess(const ProcessProfile& similar, bool is_parent) const {
  ProcessProfile process;
  process.pid = pid;
  process.parent_pid = parent_pid;
  if (is_parent) process.pid_namespace = similar.pid_namespace;
  process.command_name = name;
  if (is_parent && end_ns != 0) {  // otherwise it may have called exec
    process.executable = similar.executable;
    process.arguments = similar.arguments;
  }
  process.start_ns = process.constructor_ns = begin_ns;
  process.start_epoch_ms = similar.start_epoch_ms + static_cast<double>(begin_ns - similar.start_ns) / 1e6;
  process.end_ns = std::max(begin_ns, end_ns);
  process.end_reason = end_ns != 0 ? "exited" : "alive";
  process.exit = exit;
  if (end_ns != 0) process.cpu_ns = exit.user_cpu_ns + exit.system_cpu_ns;
  process.interval_ns = similar.interval_ns;
  process.capacity_bytes = similar.capacity_bytes;
  process.features = similar.features;
  process.filters = similar.filters;
  process.losses.push_back({"unsampled-child", 1});
  return process;
}

bool UnrecordedProgram::MayBe(const ProcessFacts& recorded) const {
  constexpr int64_t kLongestStartNs = kNsPerSecond;  // from exec to the constructor, on a busy machine
  if (recorded.pid != pid || (recorded.pid_namespace != 0 && recorded.pid_namespace != pid_namespace)) return false;
  if (recorded.process_start_ticks != 0 && recorded.process_start_ticks != process_start_ticks) return false;
  return *recorded.command_name == name && recorded.start_ns >= after_ns &&
         recorded.start_ns <= last_ns + kLongestStartNs;
}

ProcessProfile UnrecordedProgram::ToProcess(const ProcessProfile& similar, uint32_t image) const {
  ProcessProfile process;
  process.pid = pid;
  process.parent_pid = parent_pid;
  process.pid_namespace = pid_namespace;
  process.process_start_ticks = process_start_ticks;
  process.image = image;
  process.command_name = name;
  process.executable = executable;
  process.arguments = arguments;
  process.start_ns = seen_ns;
  process.start_epoch_ms = similar.start_epoch_ms + static_cast<double>(seen_ns - similar.start_ns) / 1e6;
  process.end_ns = last_ns;
  process.end_reason = "alive";
  process.exit.user_cpu_ns = user_cpu_ns;
  process.exit.system_cpu_ns = system_cpu_ns;
  process.interval_ns = similar.interval_ns;
  process.features = similar.features;
  process.problems.push_back(Concat("There are no samples: ", reason));
  process.losses.push_back({kUnrecordedLoss, 1});
  // The CPU time is that of one row, which has no stack.
  ThreadRow main;
  main.tid = pid;
  main.name = name;
  main.is_main = true;
  main.registered_ns = seen_ns;
  main.samples.push_back({.time_ns = seen_ns, .cpu_delta_ns = 0});
  if (last_ns > seen_ns) main.samples.push_back({.time_ns = last_ns, .cpu_delta_ns = user_cpu_ns + system_cpu_ns});
  process.threads.push_back(std::move(main));
  return process;
}

bool IsUnrecorded(const ProcessProfile& process) {
  return std::ranges::any_of(process.losses, [](const LossRow& loss) { return loss.what == kUnrecordedLoss; });
}

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
