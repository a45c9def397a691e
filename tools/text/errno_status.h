#ifndef GECKOPROF_TOOLS_TEXT_ERRNO_STATUS_H_
#define GECKOPROF_TOOLS_TEXT_ERRNO_STATUS_H_

#include <errno.h>

#include <string>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "tools/text/concat.h"

namespace geckoprof {

// Returns the status of a system call that failed: "TEXT: No such file or directory", with a code where callers tell
// errors apart. The Abseil of Ubuntu 22.04 has no absl::ErrnoToStatus.
inline absl::Status ErrnoStatus(int error, std::string_view text) {
  const std::string message = Concat(text, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EEXIST:
    case EADDRINUSE:
      return absl::AlreadyExistsError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    case ENOTDIR:
      return absl::FailedPreconditionError(message);
    default:
      return absl::UnknownError(message);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TEXT_ERRNO_STATUS_H_
