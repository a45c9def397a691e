#include "tools/symbols/file_identity.h"

#include <sys/stat.h>

#include <utility>

namespace geckoprof {
namespace {

int64_t Nanoseconds(const timespec& time) {
  constexpr int64_t kNsPerS = 1'000'000'000;
  return int64_t{time.tv_sec} * kNsPerS + time.tv_nsec;
}

}  // namespace

FileIdentity FileIdentity::Of(std::string path) {
  FileIdentity identity;
  identity.path = std::move(path);
  struct stat status;
  if (stat(identity.path.c_str(), &status) != 0) return identity;
  identity.exists = true;
  identity.size_bytes = static_cast<uint64_t>(status.st_size);
  identity.inode = status.st_ino;
  identity.modified_ns = Nanoseconds(status.st_mtim);
  identity.changed_ns = Nanoseconds(status.st_ctim);
  return identity;
}

}  // namespace geckoprof
