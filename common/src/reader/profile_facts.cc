#include "geckoprof/reader/profile_facts.h"

#include <algorithm>
#include <iterator>

namespace geckoprof {

namespace {

// A program may have written a title over its arguments, such as "nginx: master process /usr/sbin/nginx". It is no
// path.
bool IsPath(std::string_view text) { return text.find(' ') >= text.find('/'); }

// The program may have written all its arguments over the path, as one text. A name is assumed to contain no space
// before '-' or '/'.
std::string_view WithoutArguments(std::string_view path) {
  return path.substr(0, std::min(path.find(" -"), path.find(" /")));
}

}  // namespace

std::string_view ProgramName(const ProcessProfile& process) {
  if (!process.given_name.empty()) return process.given_name;
  std::string_view name;
  // The name is the first argument, because one executable may be several programs (busybox, redis-server). A login
  // shell's begins with '-'.
  if (!process.arguments.empty()) name = process.arguments.front();
  if (IsPath(name)) name = PathBaseName(WithoutArguments(name));
  if (name == "exe") name = {};  // /proc/self/exe
  if (name.starts_with('-')) name.remove_prefix(1);
  if (name.empty()) name = PathBaseName(process.executable);
  if (name.empty()) name = process.command_name;
  return name.empty() ? "unknown program" : name;
}

int64_t OutputPid(const ProcessProfile& process) {
  constexpr int64_t kBeyondAnyPid = 10'000'000;
  constexpr int64_t kBeyondAnyImage = 100'000'000'000'000;
  return process.pid_space * kBeyondAnyImage + static_cast<int64_t>(process.image) * kBeyondAnyPid + process.pid;
}

int64_t RecordingStartNs(const ProcessProfile& process) {
  return process.recording_ns != 0 ? process.recording_ns : process.start_ns;
}

int64_t RecordingEndNs(const ProcessProfile& process) {
  int64_t end_ns = process.end_ns;
  for (const ThreadRow& thread : process.threads) {
    if (!thread.samples.empty()) end_ns = std::max(end_ns, thread.samples.back().time_ns + process.interval_ns);
  }
  return end_ns;
}

int64_t IntervalAt(const ProcessProfile& process, int64_t time_ns) {
  const std::vector<EarlierInterval>& earlier = process.earlier_intervals;
  const auto found = std::ranges::lower_bound(earlier, time_ns, {}, &EarlierInterval::until_ns);
  return std::max<int64_t>(found != earlier.end() ? found->interval_ns : process.interval_ns, 1);
}

int64_t IntervalsOfRow(const ProcessProfile& process, const SampleRow& row) {
  if (process.overhead_limit == 0) return 1;
  const int64_t asked_ns = std::max<int64_t>(AskedInterval(process), 1);
  const int64_t interval_ns = IntervalAt(process, row.time_ns);
  if (interval_ns <= asked_ns) return 1;
  const bool has_cpu = row.state == SampleState::kRunning && row.cpu_delta_ns > 0;
  return std::max<int64_t>(((has_cpu ? row.cpu_delta_ns : interval_ns) + asked_ns / 2) / asked_ns, 1);
}

uint64_t IdleRows(const SampleRow& sample, int64_t previous_ns) {
  if (sample.idle_ticks <= 1 || sample.apart_ns <= 0 || sample.time_ns <= previous_ns) return 1;
  const uint64_t between_ns = static_cast<uint64_t>(sample.time_ns) - static_cast<uint64_t>(previous_ns);
  const uint64_t room = 1 + (between_ns - 1) / static_cast<uint64_t>(sample.apart_ns);
  return std::min<uint64_t>(sample.idle_ticks, room);
}

bool IsReservedMarkerKey(std::string_view key) {
  return key.empty() || key == "type" || key == "stack" || key == "cause";
}

std::string_view PathBaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

LossKind KindOfLoss(std::string_view what) {
  if (what == "answer-pending" || what == "missed-tick" || what == "throttled") return LossKind::kNoRequest;
  constexpr std::string_view kWithoutStack[] = {"signal-blocked", "unreadable-stack", "small-signal-stack",
                                                "traced",         "signal-in-use",    "in-signal-handler"};
  if (std::ranges::find(kWithoutStack, what) != std::end(kWithoutStack)) return LossKind::kNoStack;
  return LossKind::kLost;
}

std::string_view LossPrefix(LossKind kind) {
  switch (kind) {
    case LossKind::kNoStack:
      return "No stack: ";
    case LossKind::kNoRequest:
      return "Ticks without a request: ";
    case LossKind::kLost:
      break;
  }
  return "Lost: ";
}

std::string LossLabel(std::string_view what) {
  std::string label(LossPrefix(KindOfLoss(what)));
  label.append(what);
  return label;
}

}  // namespace geckoprof
