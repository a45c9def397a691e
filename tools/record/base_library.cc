#include "tools/record/base_library.h"

#include <limits.h>
#include <stdlib.h>

#include "tools/support/own_folder.h"
#include "tools/text/concat.h"

namespace geckoprof {

absl::StatusOr<std::string> FindBaseLibraryFrom(const std::string& folder) {
  for (const char* place : {"/../lib/libbaseprofiler.so", "/../lib/geckoprof/libbaseprofiler.so"}) {
    char resolved[PATH_MAX];
    if (realpath(Concat(folder, place).c_str(), resolved) == nullptr) continue;
    std::string path = resolved;
    if (path.find_first_of(" \t\n:$") != std::string::npos) {
      return absl::FailedPreconditionError(Concat(
          path, ": a path with blanks, colons or dollar signs cannot be preloaded; install geckoprof elsewhere"));
    }
    return path;
  }
  return absl::NotFoundError(Concat("libbaseprofiler.so is neither in ", folder, "/../lib nor in ", folder,
                                    "/../lib/geckoprof; is the installation complete?"));
}

absl::StatusOr<std::string> FindBaseLibrary() {
  const absl::StatusOr<std::string> folder = OwnFolder();
  return folder.ok() ? FindBaseLibraryFrom(*folder) : folder.status();
}

}  // namespace geckoprof
