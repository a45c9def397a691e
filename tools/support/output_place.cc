#include "tools/support/output_place.h"

#include "tools/profile/concat.h"

namespace geckoprof {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

absl::StatusOr<OutputPlace> OutputPlace::Find(const std::string& path) {
  FilePlace found;
  if (const int error = found.Find(path.c_str()); error != 0) {
    return absl::ErrnoToStatus(error, Concat("cannot write ", path));
  }
  OutputPlace place;
  place.way = found.way;
  place.file = found.file;
  if (found.exists) place.status = found.status;
  return place;
}

void OutputPlace::GiveRights(int fd) const {
  if (status) FilePlace::GiveRights(*status, fd);
}

}  // namespace geckoprof
