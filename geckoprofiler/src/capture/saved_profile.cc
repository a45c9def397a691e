#include "capture/saved_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "capture/own_profile.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

struct Target {
  int fd;
  uint64_t room_bytes;
  int error;
};

uint64_t LargestFileBytes() {
  rlimit limit = {};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

bool WriteBytes(void* context, const char* bytes, size_t size_bytes) {
  auto* const target = static_cast<Target*>(context);
  if (size_bytes > target->room_bytes) target->error = EFBIG;
  if (target->error != 0) return false;
  target->room_bytes -= size_bytes;
  while (size_bytes > 0) {
    const ssize_t done = write(target->fd, bytes, size_bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      target->error = done < 0 ? errno : EIO;
      return false;
    }
    bytes += done;
    size_bytes -= static_cast<size_t>(done);
  }
  return true;
}

ProfilerOutcome CannotWrite(const std::string& path, int error) {
  return {ProfilerStatus::kCannotWrite, path + ": " + strerrordesc_np(error)};
}

ProfilerOutcome WriteTo(const BaseLink& base, const std::string& path, const Fd& file) {
  if (!file.ok()) return CannotWrite(path, file.error());
  Target target{file.number(), LargestFileBytes(), 0};
  ProfilerOutcome outcome = WriteOwnProfile(base, {&WriteBytes, &target});
  return target.error != 0 ? CannotWrite(path, target.error) : outcome;
}

}  // namespace

std::string ExpandProcessId(std::string_view name, int32_t pid) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "%p") {
      out += std::to_string(pid);
      ++i;
    } else {
      out += name[i];
    }
  }
  return out;
}

ProfilerOutcome SaveOwnProfile(const BaseLink& base, const char* name) {
  if (name == nullptr || *name == '\0') return {ProfilerStatus::kBadArgument, "a file name is needed"};
  const std::string path = ExpandProcessId(name, getpid());
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (!S_ISCHR(info.st_mode)) return {ProfilerStatus::kCannotWrite, path + ": neither a file nor a device"};
    return WriteTo(base, path, Fd::Open(path.c_str(), O_WRONLY | O_NOCTTY));
  }
  // Of this call alone: two threads may save to one name.
  static std::atomic<uint32_t> saves{0};
  const std::string temporary =
      path + "." + std::to_string(getpid()) + "-" + std::to_string(saves.fetch_add(1)) + ".tmp";
  Fd file = Fd::Open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (!file.ok()) return CannotWrite(temporary, file.error());
  ProfilerOutcome outcome = WriteTo(base, temporary, file);
  file.Close();
  if (outcome && rename(temporary.c_str(), path.c_str()) != 0) outcome = CannotWrite(path, errno);
  if (!outcome) unlink(temporary.c_str());
  return outcome;
}

}  // namespace geckoprof
