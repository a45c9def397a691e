#include "tools/record/process_ends.h"

#include <dirent.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/record/session_contents.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// pidfd_info of <linux/pidfd.h>, in its first version. Debian 12 has no header with it.
struct PidfdInfo {
  uint64_t mask;
  uint64_t cgroup_id;
  uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr uint64_t kInfoExit = 1 << 3;                          // PIDFD_INFO_EXIT
constexpr unsigned long kGetInfo = _IOWR(0xff, 11, PidfdInfo);  // PIDFD_GET_INFO

}  // namespace

namespace {

// Returns whether the process of a pidfd was waited for.
bool HasGone(const Fd& process) {
  return syscall(SYS_pidfd_send_signal, process.number(), 0, nullptr, 0) != 0 && errno == ESRCH;
}

}  // namespace

std::optional<int> ProcessEnds::StatusOf(const Fd& process) {
  PidfdInfo info = {};
  info.mask = kInfoExit;
  const bool is_known = ioctl(process.number(), kGetInfo, &info) == 0 && (info.mask & kInfoExit) != 0;
  return is_known ? std::optional<int>(info.exit_code) : std::nullopt;
}

int64_t ProcessEnds::Look(int64_t now_ns) {
  constexpr int64_t kUsualPauseNs = 250 * kNsPerMs, kShortPauseNs = 10 * kNsPerMs;
  constexpr int64_t kRestShare = 200, kNewsRestShare = 50;  // at most half a percent of one core, or two
  if (now_ns < not_before_ns_) return not_before_ns_ - now_ns;
  const bool is_to_list = HasNews() || has_unfinished_;
  if (!is_to_list && now_ns < due_ns_) return due_ns_ - now_ns;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  CollectEnds();
  if (is_to_list) OpenNew();
  const int64_t took_ns = CurrentThreadCpuNs() - begin_cpu_ns;
  not_before_ns_ = now_ns + std::max(took_ns * kNewsRestShare, has_unfinished_ ? kShortPauseNs : 0);
  due_ns_ = has_unfinished_ ? not_before_ns_ : now_ns + std::max(kUsualPauseNs, took_ns * kRestShare);
  return due_ns_ - now_ns;
}

void ProcessEnds::CollectEnds() {
  const int64_t now_ns = MonotonicNs();
  std::erase_if(open_, [&](const auto& process) {
    // The kernel tells nothing more of a process that was waited for.
    const bool is_gone = HasGone(process.second);
    const std::optional<int> status = StatusOf(process.second);
    if (status.has_value()) ends_[process.first] = {*status, now_ns};
    return status.has_value() || is_gone;
  });
  if (window_ns_ != 0) {
    // Long enough for a capture whose profile is still being made.
    std::erase_if(ends_, [&](const auto& end) { return end.second.seen_ns < now_ns - 2 * window_ns_; });
  }
}

// Returns whether the session directory has changed since the last call.
bool ProcessEnds::HasNews() {
  struct stat info = {};
  if (stat(session_.c_str(), &info) != 0) return false;
  const bool is_same = info.st_mtim.tv_sec == changed_.tv_sec && info.st_mtim.tv_nsec == changed_.tv_nsec;
  changed_ = info.st_mtim;
  return !is_same;
}

void ProcessEnds::OpenNew() {
  has_unfinished_ = false;
  DIR* const folder = opendir(session_.c_str());
  if (folder == nullptr) return;
  Segments found;
  std::optional<std::map<NamespacedPid, pid_t>> others;  // of other namespaces, where there are any
  while (const dirent* const entry = readdir(folder)) {
    SegmentName name;
    if (!name.Parse(entry->d_name)) continue;
    const std::pair segment(name.pid, name.image);
    const bool is_seen = seen_.contains(segment);
    if (!is_seen && open_.size() >= kMostOpen) continue;
    if (is_seen) found.insert(segment);
    if (is_seen) continue;
    SegmentView view;
    const SegmentView::OpenResult opened = view.OpenFile(Concat(session_, "/", entry->d_name).c_str());
    if (opened == SegmentView::OpenResult::kNotASegment && ProcessLives(name.pid)) {
      has_unfinished_ = true;
      continue;
    }
    found.insert(segment);
    if (opened != SegmentView::OpenResult::kOk) continue;
    const NamespacedPid maker = namespaces_.NameOf(view.header().pid_namespace, name.pid);
    if (open_.contains(maker)) continue;
    pid_t pid = name.pid;
    if (maker.pid_namespace != 0) {
      if (!others.has_value()) others = namespaces_.FindOthers();
      const auto place = others->find(maker);
      if (place == others->end()) continue;
      pid = place->second;
    }
    Fd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!process.ok() || !IsMaker(pid, view.header())) continue;
    open_.emplace(maker, std::move(process));
    ends_.erase(maker);  // of an earlier process with this id
  }
  closedir(folder);
  seen_ = std::move(found);
}

// Another process may have the number by now.
bool ProcessEnds::IsMaker(pid_t process, const SegmentHeader& header) {
  const std::optional<ProcessState> state = ReadProcessState(process);
  return state.has_value() && state->start_ticks == header.process_start_ticks;
}

}  // namespace geckoprof
