#include "geckoprof/control/process_meter.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/directory.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/control/process_state.h"

namespace geckoprof {

// The threads of the last round keep what is known of them.
void ThreadSwitches::BeginRound(pid_t pid) {
  char path[64];
  ProcFolder(pid, path).Text("/task");
  std::vector<Thread> alive;
  const Fd folder = Fd::Open(path, O_RDONLY | O_DIRECTORY);
  if (folder.ok()) {
    ForEachEntry(folder, [&alive](const char* name) {
      if (const pid_t tid = NumberInName(name); tid != 0) alive.push_back({tid, 0});
    });
  }
  const auto is_before = [](const Thread& a, const Thread& b) { return a.tid < b.tid; };
  std::sort(alive.begin(), alive.end(), is_before);
  auto known = round_.begin();
  for (Thread& thread : alive) {
    known = std::lower_bound(known, round_.end(), thread, is_before);
    if (known != round_.end() && known->tid == thread.tid) thread.switches = known->switches;
  }
  round_ = std::move(alive);
  next_ = 0;
}

uint64_t ThreadSwitches::Look(pid_t pid) {
  if (next_ == round_.size()) BeginRound(pid);
  for (const size_t end = std::min(next_ + kMostThreads, round_.size()); next_ < end; ++next_) {
    Thread& thread = round_[next_];
    const uint64_t switches = ReadThreadSwitches(pid, thread.tid).value_or(0);
    if (switches <= thread.switches) continue;
    sum_ += switches - thread.switches;
    thread.switches = switches;
  }
  return sum_;
}

ProcessMeter::Look ProcessMeter::TakeLook() {
  const std::optional<uint64_t> cpu_ns = ReadProcessCpuNs(pid_);
  if (!cpu_ns.has_value()) return Look::kGone;
  if (*cpu_ns == usage_.cpu_ns) return Look::kSame;
  const std::optional<ProcessUsage> usage = ReadProcessUsage(pid_);
  const bool is_other = usage.has_value() && usage_.start_ticks != 0 && usage->start_ticks != usage_.start_ticks;
  if (!usage.has_value() || is_other) return Look::kGone;
  usage_ = *usage;
  usage_.switches = switches_.Look(pid_);
  return Look::kChanged;
}

int64_t ProcessMeter::PauseNsAfter(int64_t cpu_ns) {
  constexpr int64_t kUsualPauseNs = 10 * kNsPerMs;
  constexpr int64_t kRestShare = 250;  // 0.4 % for looks. The sleep between them takes CPU time, too.
  return std::max(kUsualPauseNs, cpu_ns * kRestShare);
}

}  // namespace geckoprof
