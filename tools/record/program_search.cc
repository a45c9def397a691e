#include "tools/record/program_search.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace geckoprof {
namespace {

// 0, or the errno with which exec would refuse.
int ExecutionError(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

FoundProgram Refusal(const std::string& path, int error) {
  FoundProgram result;
  result.exit_status = error == ENOENT || error == ENOTDIR ? kStatusNotFound : kStatusNotExecutable;
  result.error = path + ": ";
  if (error == ENOENT) {
    result.error += "no such program";
  } else if (error == EISDIR) {
    result.error += "is a directory, not a program";
  } else if (error == EACCES) {
    result.error += "is not executable (permission denied)";
  } else {
    result.error += strerror(error);
  }
  return result;
}

FoundProgram Found(std::string path) {
  FoundProgram result;
  result.path = std::move(path);
  return result;
}

}  // namespace

FoundProgram FindProgram(const std::string& name, const char* path_variable) {
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    const int error = ExecutionError(name);
    return error == 0 ? Found(name) : Refusal(name, error);
  }
  if (name.empty()) return Refusal("\"\"", ENOENT);
  std::string_view folders = path_variable != nullptr ? path_variable : "/bin:/usr/bin";
  std::string refused;
  int refused_error = 0;
  for (bool more = true; more;) {
    const size_t colon = std::min(folders.find(':'), folders.size());
    const std::string_view folder = folders.substr(0, colon);
    more = colon < folders.size();
    if (more) folders.remove_prefix(colon + 1);
    std::string path = folder.empty() ? "./" + name : std::string(folder) + "/" + name;
    const int error = ExecutionError(path);
    if (error == 0) return Found(std::move(path));
    if (error != ENOENT && error != ENOTDIR && refused_error == 0) {
      refused = std::move(path);
      refused_error = error;
    }
  }
  if (refused_error != 0) return Refusal(refused, refused_error);
  FoundProgram result = Refusal(name, ENOENT);
  result.error += " in the folders of PATH";
  return result;
}

}  // namespace geckoprof
