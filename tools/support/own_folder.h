#ifndef GECKOPROF_TOOLS_SUPPORT_OWN_FOLDER_H_
#define GECKOPROF_TOOLS_SUPPORT_OWN_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace geckoprof {

// The folder that this program's file lies in, links resolved: what belongs to it is found from there, wherever the
// installation was moved.
absl::StatusOr<std::string> OwnFolder();

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OWN_FOLDER_H_
