#include "tools/recover/file_owner.h"

#include <time.h>

#include <optional>

#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

int64_t NowNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace

FileOwner FileOwner::OfSegment(pid_t pid, const std::string& path, int64_t file_changed_s) {
  FileOwner owner{.pid = pid, .file_changed_s = file_changed_s};
  SegmentView view;
  if (view.OpenFile(path.c_str()) != SegmentView::OpenResult::kOk) return owner;
  owner.start_ticks = view.header().process_start_ticks;
  owner.running_ns = view.header().constructor_ns;
  return owner;
}

bool FileOwner::Lives() const {
  if (!ProcessLives(pid)) return false;
  const std::optional<ProcessState> state = ReadProcessState(pid);
  if (!state.has_value()) return true;  // without /proc nothing tells the processes apart
  if (start_ticks != 0) return state->start_ticks == start_ticks;
  // The kernel's times of processes go on while the machine sleeps, and ours do not. So the process began at this time
  // or later.
  const int64_t boot_ns = NowNs(CLOCK_BOOTTIME), monotonic_ns = NowNs(CLOCK_MONOTONIC);
  const int64_t began_ns = state->StartNs() - (boot_ns - monotonic_ns);
  if (running_ns > monotonic_ns) return false;  // it ran before the machine's last start
  if (running_ns != 0) return began_ns <= running_ns;
  constexpr int64_t kRoundingS = 2;
  const int64_t began_s = NowNs(CLOCK_REALTIME) / kNsPerSecond - (boot_ns - state->StartNs()) / kNsPerSecond;
  return began_s <= file_changed_s + kRoundingS;
}

}  // namespace geckoprof
