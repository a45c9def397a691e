#include "tools/record/process_ends.h"

#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "geckoprof/base/clock.h"
#include "tools/record/session_contents.h"
#include "tools/record/unrecorded_processes.h"
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

std::optional<int> StatusOf(const Fd& process) {
  PidfdInfo info = {};
  info.mask = kInfoExit;
  const bool is_known = ioctl(process.number(), kGetInfo, &info) == 0 && (info.mask & kInfoExit) != 0;
  return is_known ? std::optional<int>(info.exit_code) : std::nullopt;
}

}  // namespace

int64_t ProcessEnds::Look() {
  constexpr int64_t kUsualPauseNs = 250 * kNsPerMs;
  constexpr int64_t kRestShare = 200;  // at most half a percent of one core
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  for (auto entry = open_.begin(); entry != open_.end();) {
    if (const std::optional<int> status = StatusOf(entry->second)) {
      statuses_[entry->first] = *status;
      entry = open_.erase(entry);
    } else {
      ++entry;
    }
  }
  OpenNew();
  return std::max(kUsualPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
}

// The name of a segment has the process's number in its own namespace. The environment tells if it is the same here.
void ProcessEnds::OpenNew() {
  DIR* const folder = opendir(session_.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) {
    SegmentName name;
    if (open_.size() >= kMostOpen || !name.Parse(entry->d_name)) continue;
    if (!seen_.insert({name.pid, name.image}).second || open_.count(name.pid) != 0) continue;
    if (!IsOfSession(Concat("/proc/", name.pid), session_)) continue;
    Fd process(static_cast<int>(syscall(SYS_pidfd_open, name.pid, 0)));
    if (process.ok()) open_.emplace(name.pid, std::move(process));
  }
  closedir(folder);
}

}  // namespace geckoprof
