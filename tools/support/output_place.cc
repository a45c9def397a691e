#include "tools/support/output_place.h"

#include <sys/stat.h>

#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

namespace {

bool IsSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

bool LeadToOneFile(const std::string& a, const std::string& b) {
  struct stat info_a = {}, info_b = {};
  const bool exists = stat(a.c_str(), &info_a) == 0;
  if ((stat(b.c_str(), &info_b) == 0) != exists) return false;
  if (exists) return IsSame(info_a, info_b) && (S_ISREG(info_a.st_mode) || S_ISFIFO(info_a.st_mode));
  const absl::StatusOr<OutputPlace> place_a = OutputPlace::Find(a), place_b = OutputPlace::Find(b);
  if (!place_a.ok() || !place_b.ok()) return false;
  const std::string folder_a = FolderOf(place_a->file), folder_b = FolderOf(place_b->file);
  return stat(folder_a.c_str(), &info_a) == 0 && stat(folder_b.c_str(), &info_b) == 0 && IsSame(info_a, info_b) &&
         place_a->file.substr(place_a->file.rfind('/') + 1) == place_b->file.substr(place_b->file.rfind('/') + 1);
}

std::string WithName(const std::string& path, std::string_view what) {
  const std::string spaced = Concat(" ", what, " ");
  for (const char* const end : {" ", ":", ","}) {
    if (!path.empty() && spaced.find(Concat(" ", path, end)) != std::string::npos) return std::string(what);
  }
  return Concat(path, ": ", what);
}

absl::Status CheckIsNoInput(const std::string& output, std::span<const std::string> inputs) {
  if (output == "-") return absl::OkStatus();
  for (const std::string& input : inputs) {
    if (!LeadToOneFile(output, input == "-" ? "/dev/stdin" : input)) continue;
    return absl::InvalidArgumentError(Concat(output, " is read, and would be overwritten"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OutputPlace> OutputPlace::Find(const std::string& path) {
  FilePlace found;
  if (const int error = found.Find(path.c_str()); error != 0) {
    return ErrnoStatus(error, Concat("cannot write ", path));
  }
  return Of(found);
}

OutputPlace OutputPlace::Of(const FilePlace& found) {
  OutputPlace place;
  place.way = found.way;
  place.file = found.file;
  if (found.exists) place.status = found.status;
  return place;
}

void OutputPlace::CopyPermissions(int fd) const {
  if (status) FilePlace::CopyPermissions(*status, fd);
}

}  // namespace geckoprof
