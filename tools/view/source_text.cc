#include "tools/view/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "absl/status/status.h"
#include "geckoprof/base/fd.h"
#include "tools/support/regular_file.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

// The path without links and "..".
absl::StatusOr<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  if (real == nullptr) return ErrnoStatus(errno, Concat("cannot read ", path));
  return std::string(real.get());
}

}  // namespace

absl::StatusOr<std::string> ReadSourceText(const std::string& path) {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("this is no absolute path");
  }
  const absl::StatusOr<std::string> real = RealPath(path);
  if (!real.ok()) return real.status();
  const Fd fd = OpenRegularFile(*real, O_NOFOLLOW);
  if (fd.error() == EINVAL) return absl::InvalidArgumentError(Concat(path, " is not a regular file"));
  if (!fd.ok()) return ErrnoStatus(fd.error(), Concat("cannot read ", path));
  struct stat status;
  if (fstat(fd.number(), &status) != 0) return ErrnoStatus(errno, Concat("cannot read ", path));
  if (static_cast<uint64_t>(status.st_size) > kMaxSourceBytes) {
    return absl::InvalidArgumentError(Concat(path, " is larger than ", kMaxSourceBytes >> 20, " MB"));
  }
  std::string text(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(fd.number(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, Concat("cannot read ", path));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  if (text.find('\0') != std::string::npos) return absl::InvalidArgumentError(Concat(path, " is no text"));
  return text;
}

}  // namespace geckoprof
