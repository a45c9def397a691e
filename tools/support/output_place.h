#ifndef GECKOPROF_TOOLS_SUPPORT_OUTPUT_PLACE_H_
#define GECKOPROF_TOOLS_SUPPORT_OUTPUT_PLACE_H_

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/file_place.h"

namespace geckoprof {

// OutputPlace: what the name of an output file leads to, and so how it is to be written (base/file_place.h).
struct OutputPlace {
  using Way = FilePlace::Way;

  static absl::StatusOr<OutputPlace> Find(const std::string& path);
  static OutputPlace Of(const FilePlace& found);

  // FilePlace::CopyPermissions, if there is a file.
  void CopyPermissions(int fd) const;

  Way way = Way::kReplace;
  std::string file;                   // no link
  std::optional<struct stat> status;  // of what exists
};

// Whether two names are one file's, be it through links or because it has both; neither need exist. Of devices, as
// /dev/null, never.
bool LeadToOneFile(const std::string& a, const std::string& b);

// An error if what is written to `output` would take the place of one of the files that are read. "-" is a standard
// stream.
absl::Status CheckIsNoInput(const std::string& output, std::span<const std::string> inputs);

// What went wrong with a file, with its name in front unless the message has it already.
std::string WithName(const std::string& path, std::string_view what);

// The folder of a path, to which a name may be appended.
std::string FolderOf(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OUTPUT_PLACE_H_
