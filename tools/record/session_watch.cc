#include "tools/record/session_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/segment/session_format.h"
#include "tools/record/allocated_bytes.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

uint64_t BytesOfFiles(const std::string& path) {
  DIR* const folder = opendir(path.c_str());
  if (folder == nullptr) return 0;
  uint64_t bytes = 0;
  while (const dirent* const entry = readdir(folder)) {
    struct stat info = {};
    if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)) {
      bytes += AllocatedBytes(info);
    }
  }
  closedir(folder);
  return bytes;
}

}  // namespace

int64_t SessionWatch::Look() {
  constexpr int64_t kUsualPauseNs = 250 * kNsPerMs;
  constexpr int64_t kRestShare = 200;  // at most half a percent of one core
  if (closed_) return kNsPerSecond;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  if (BytesOfFiles(path_) >= limit_bytes_) {
    closed_ = Fd::Open(Concat(path_, "/", kSessionFullName).c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW, 0600).ok();
  }
  return std::max(kUsualPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
}

}  // namespace geckoprof
