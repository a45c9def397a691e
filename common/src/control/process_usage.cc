#include "geckoprof/control/process_usage.h"

#include <fcntl.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/control/process_state.h"

namespace geckoprof {
namespace {

std::string_view ReadFile(const char* path, std::span<char> room) {
  const Fd file = Fd::Open(path, O_RDONLY);
  const int64_t size = file.ok() ? file.ReadAt(0, {reinterpret_cast<uint8_t*>(room.data()), room.size()}) : -1;
  return {room.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

// Returns the number at the start of the text, or 0.
uint64_t Number(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Returns the number of a line such as "rchar: 4711".
std::optional<uint64_t> NumberOf(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return Number(text);
}

}  // namespace

std::optional<uint64_t> ReadProcessCpuNs(pid_t pid) {
  // clock_getcpuclockid(3) computes the same number.
  constexpr clockid_t kSchedulerTime = 2;
  const clockid_t clock = static_cast<clockid_t>(~static_cast<unsigned>(pid) << 3) | kSchedulerTime;
  timespec time = {};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<uint64_t>(time.tv_sec) * kNsPerSecond + static_cast<uint64_t>(time.tv_nsec);
}

std::optional<ProcessUsage> ReadProcessUsage(pid_t pid) {
  const std::optional<ProcessState> state = ReadProcessState(pid);
  const std::optional<uint64_t> cpu_ns = ReadProcessCpuNs(pid);
  if (!state.has_value() || !cpu_ns.has_value()) return std::nullopt;
  ProcessUsage usage = {.start_ticks = state->start_ticks,
                        .cpu_ns = *cpu_ns,
                        .resident_bytes = state->resident_bytes,
                        .minor_faults = state->minor_faults,
                        .major_faults = state->major_faults,
                        .thread_count = static_cast<uint64_t>(state->thread_count)};
  char path[64], room[1024];
  ProcFolder(pid, path).Text("/io");
  const std::string_view io = ReadFile(path, room);
  usage.read_bytes = NumberOf(io, "rchar:").value_or(ProcessUsage::kUnknown);
  usage.written_bytes = NumberOf(io, "wchar:").value_or(ProcessUsage::kUnknown);
  return usage;
}

std::optional<uint64_t> ReadThreadSwitches(pid_t pid, pid_t tid) {
  char path[64], room[4096];
  ProcFolder(pid, path).Text("/task/").Number(tid).Text("/status");
  const std::string_view text = ReadFile(path, room);
  const std::optional<uint64_t> voluntary = NumberOf(text, "\nvoluntary_ctxt_switches:");
  const std::optional<uint64_t> forced = NumberOf(text, "\nnonvoluntary_ctxt_switches:");
  if (!voluntary.has_value() || !forced.has_value()) return std::nullopt;
  return *voluntary + *forced;
}

}  // namespace geckoprof
