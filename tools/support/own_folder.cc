#include "tools/support/own_folder.h"

#include <limits.h>
#include <unistd.h>

#include "absl/status/status.h"

namespace geckoprof {

absl::StatusOr<std::string> OwnFolder() {
  char own[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof(own));
  if (length <= 0 || static_cast<size_t>(length) == sizeof(own)) {
    return absl::NotFoundError("cannot tell where geckoprof lies: /proc/self/exe is not readable (is /proc mounted?)");
  }
  const std::string path(own, static_cast<size_t>(length));
  return path.substr(0, path.rfind('/'));
}

}  // namespace geckoprof
