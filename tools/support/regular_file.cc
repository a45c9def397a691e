#include "tools/support/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool IsRegular(const Fd& file, struct stat& info) {
  struct statfs place = {};
  return fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) && fstatfs(file.number(), &place) == 0 &&
         place.f_type != PROC_SUPER_MAGIC && place.f_type != SYSFS_MAGIC;
}

}  // namespace

Fd OpenRegularFile(const std::string& path, int flags) {
  constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  Fd found = Fd::Open(path.c_str(), O_PATH | flags);
  if (!found.ok()) return found;
  struct stat info = {}, opened_info = {};
  if (!IsRegular(found, info)) return Fd(-EINVAL);
  Fd opened = Fd::Open(Concat("/proc/self/fd/", found.number()).c_str(), kReadFlags);
  if (opened.error() != ENOENT) return opened;
  // There is no /proc.
  opened = Fd::Open(path.c_str(), kReadFlags | flags);
  const bool is_same = opened.ok() && fstat(opened.number(), &opened_info) == 0 && opened_info.st_dev == info.st_dev &&
                       opened_info.st_ino == info.st_ino;
  return is_same || !opened.ok() ? std::move(opened) : Fd(-EINVAL);
}

}  // namespace geckoprof
