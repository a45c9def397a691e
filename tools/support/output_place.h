#ifndef GECKOPROF_TOOLS_SUPPORT_OUTPUT_PLACE_H_
#define GECKOPROF_TOOLS_SUPPORT_OUTPUT_PLACE_H_

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace geckoprof {

// OutputPlace: what the name of an output file leads to, and so how it is to be written.
//
//   out.json                                  kReplace out.json
//   out.json -> ../kept/a.json                kReplace ../kept/a.json, whether it exists or not
//   /dev/stdout -> /proc/self/fd/1, a file    kInPlace
//   out.json that something is mounted on     kInPlace
//   /dev/null, a FIFO, a link to one          kStream
//
// Links are followed here, since rename(2) would replace the link; but never one that the kernel would not follow for
// whoever fears other users' links (proc(5), protected_symlinks).
struct OutputPlace {
  enum class Way : uint8_t {
    kReplace,  // a regular file or none yet: another one takes its place
    kInPlace,  // a regular file whose name cannot be given to another: known by a link of /proc, mounted, or another
               // user's in a folder such as /tmp
    kStream,   // no regular file
  };

  static absl::StatusOr<OutputPlace> Find(const std::string& path);

  // Gives the file of a descriptor, which is to replace this one, its mode; owner and group too, where we may. Where
  // the group cannot be kept its rights are not given to another one.
  void GiveRights(int fd) const;

  Way way = Way::kReplace;
  std::string file;                   // no link
  std::optional<struct stat> status;  // of what exists
};

// The folder of a path, to which a name may be appended.
std::string FolderOf(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OUTPUT_PLACE_H_
