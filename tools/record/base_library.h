// Where the library to be preloaded lies.
#ifndef GECKOPROF_TOOLS_RECORD_BASE_LIBRARY_H_
#define GECKOPROF_TOOLS_RECORD_BASE_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace geckoprof {

// The path of libbaseprofiler.so, found from where this program lies: ../lib, then ../lib/geckoprof. An error if it is
// in neither, or if its path could not be written into LD_PRELOAD, where blanks and colons separate paths.
absl::StatusOr<std::string> FindBaseLibrary();

// The same for a program in `folder`.
absl::StatusOr<std::string> FindBaseLibraryFrom(const std::string& folder);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_BASE_LIBRARY_H_
