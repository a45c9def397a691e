#include "tools/record/public_library.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace geckoprof {

bool PublicLibrary::IsReadableByAll(const std::string& file) {
  struct stat info = {};
  if (stat(file.c_str(), &info) != 0 || (info.st_mode & S_IROTH) == 0) return false;
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (;; folder = folder.parent_path()) {
    if (stat(folder.empty() ? "." : folder.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0) return false;
    if (folder == folder.parent_path()) return true;
  }
}

PublicLibrary::PublicLibrary(const std::string& library) : path_(library) {
  if (geteuid() != 0 || IsReadableByAll(library)) return;
  const char* const temporary = getenv("TMPDIR");
  if (!CopyTo(library, "/tmp") && temporary != nullptr) CopyTo(library, temporary);
}

PublicLibrary::~PublicLibrary() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

// False: another folder may do. Without any the library is used where it is.
bool PublicLibrary::CopyTo(const std::string& library, std::string folder) {
  struct statvfs file_system = {};
  if (statvfs(folder.c_str(), &file_system) != 0 || (file_system.f_flag & ST_NOEXEC) != 0) return false;
  folder += "/geckoprof-lib-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return false;
  folder_ = folder;
  const std::string copy = folder + "/libbaseprofiler.so";
  std::error_code error;
  std::filesystem::copy_file(library, copy, error);
  if (error || chmod(copy.c_str(), 0755) != 0 || chmod(folder.c_str(), 0755) != 0 || !IsReadableByAll(copy)) {
    std::filesystem::remove_all(folder, error);
    folder_.clear();
    return false;
  }
  path_ = copy;
  return true;
}

}  // namespace geckoprof
