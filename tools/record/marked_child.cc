#include "tools/record/marked_child.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "geckoprof/segment/session_format.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kLatestNs = int64_t{1} << 61;  // 73 years after the machine's start
constexpr size_t kMostNameBytes = 15;

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

// The program of `pid` that ran at that time; null: none is known.
const ProcessProfile* ProgramAt(std::span<const ProcessProfile> recorded, int32_t pid, int64_t time_ns) {
  const ProcessProfile* found = nullptr;
  for (const ProcessProfile& process : recorded) {
    const bool fits = process.pid == pid && process.start_ns <= time_ns;
    if (fits && (found == nullptr || found->start_ns < process.start_ns)) found = &process;
  }
  return found;
}

}  // namespace

bool MarkedChild::Parse(std::string_view file_name, std::string_view target) {
  if (!Take(file_name, kChildPrefix) || !TakeNumber(file_name, pid)) return false;
  if (!Take(file_name, "-") || !TakeNumber(file_name, begin_ns) || begin_ns > kLatestNs) return false;
  end_ns = 0;
  if (!file_name.empty()) {
    const bool is_end = Take(file_name, "-") && TakeNumber(file_name, end_ns) && file_name.empty();
    if (!is_end || end_ns < begin_ns || end_ns > kLatestNs) return false;
  }
  // The parent of a pid namespace's first process has no number there.
  if (!TakeNumber(target, parent_pid, 0) || !Take(target, " ") || target.size() > kMostNameBytes) return false;
  name = target;
  return true;
}

bool MarkedChild::IsAmong(std::span<const ProcessProfile> processes) const {
  return std::ranges::any_of(
      processes, [this](const ProcessProfile& process) { return process.pid == pid && process.start_ns >= begin_ns; });
}

ProcessProfile MarkedChild::ToProcess(std::span<const ProcessProfile> recorded) const {
  const ProcessProfile* const parent = ProgramAt(recorded, parent_pid, begin_ns);
  const ProcessProfile& similar = parent != nullptr ? *parent : recorded.front();
  ProcessProfile process;
  process.pid = pid;
  process.parent_pid = parent_pid;
  if (parent != nullptr) process.pid_namespace = parent->pid_namespace;
  process.command_name = name;
  if (parent != nullptr && end_ns != 0) {  // otherwise it may have called exec
    process.executable = parent->executable;
    process.arguments = parent->arguments;
  }
  process.start_ns = process.constructor_ns = begin_ns;
  process.start_epoch_ms = similar.start_epoch_ms + static_cast<double>(begin_ns - similar.start_ns) / 1e6;
  process.end_ns = std::max(begin_ns, end_ns);
  process.end_reason = end_ns != 0 ? "exited" : "alive";
  process.interval_ns = similar.interval_ns;
  process.capacity_bytes = similar.capacity_bytes;
  process.features = similar.features;
  process.filters = similar.filters;
  process.losses.push_back({"unsampled-child", 1});
  return process;
}

}  // namespace geckoprof
