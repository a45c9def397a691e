#ifndef GECKOPROF_TOOLS_SUPPORT_PRIVATE_FOLDER_H_
#define GECKOPROF_TOOLS_SUPPORT_PRIVATE_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

// Checks that only root and this user can exchange what `folder` and the folders above it hold:
//
//   owner      mode                           trusted
//   root, us   nobody else may write          yes
//   root, us   others may write, sticky       yes     for example /tmp
//   root, us   others may write, not sticky   no
//   others     any                            no      for example $TMPDIR after su(1)
//
// The same goes for each symbolic link by which the path leads there, and for the folders that hold these links. The
// last parts of the path need not exist. In a user namespace without the machine's root, folders whose owner is unknown
// there count as root's. An error names the folder that is not trusted.
absl::Status CheckTrusted(const std::string& folder);

// PrivateFolder is a new folder with a random name below a trusted one. It has mode 0700 under any umask.
//
//   <parent>/<prefix>XXXXXX
//
// `lock` is its descriptor, with a lock (flock(2), LOCK_EX) by which others see that its maker lives. The path has no
// links, and nobody else can give it to another folder.
struct PrivateFolder {
  // Returns the parents that are tried: $XDG_RUNTIME_DIR, /dev/shm, $TMPDIR, /tmp. Variables that are not set are left
  // out. An $XDG_RUNTIME_DIR must be this user's and have mode 0700. Memory comes first, because the kernel would write
  // files on a disk back while the program runs.
  static std::vector<std::string> Parents();

  static absl::StatusOr<PrivateFolder> Make(const std::string& parent, std::string_view prefix);
  // Returns whether Make may have given a folder this name.
  static bool IsName(std::string_view name, std::string_view prefix);

  std::string path;
  Fd lock;
};

// The folder and the file of a BrowserPage. `geckoprof recover` knows them, too, because a killed `geckoprof view`
// leaves them behind.
inline constexpr std::string_view kPageFolderPrefix = "geckoprof-view-", kPageFileName = "open.html";

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_PRIVATE_FOLDER_H_
