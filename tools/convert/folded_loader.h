#ifndef GECKOPROF_TOOLS_CONVERT_FOLDED_LOADER_H_
#define GECKOPROF_TOOLS_CONVERT_FOLDED_LOADER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Folded stacks, "main;run;hash 17" a line, as one thread's samples, one a line: its weight is the number, and it comes
// as many ms after the one before as that weighs, so that the viewer's time line has the proportions right. The format
// knows no times. Empty lines and those that begin with "# " are left out; an error names the line.
absl::StatusOr<ProfileModel> LoadFolded(std::string_view text);

// Whether the first line that says something ends in a number.
bool LooksFolded(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_FOLDED_LOADER_H_
