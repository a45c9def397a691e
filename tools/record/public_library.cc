#include "tools/record/public_library.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "geckoprof/base/clock.h"
#include "tools/support/private_folder.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kFolderPrefix = "geckoprof-lib-";

// Both times are whole seconds.
bool BeganSince(pid_t pid, int64_t epoch_s) {
  constexpr int64_t kRoundingS = 2;
  const std::optional<ProcessState> state = ReadProcessState(pid);
  timespec since_boot = {};
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  return state.has_value() &&
         since_boot.tv_sec - state->StartNs() / kNsPerSecond <= time(nullptr) - epoch_s + kRoundingS;
}

}  // namespace

bool PublicLibrary::IsReadableByAll(const std::string& file) {
  struct stat info = {};
  if (stat(file.c_str(), &info) != 0 || (info.st_mode & S_IROTH) == 0) return false;
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (;; folder = folder.parent_path()) {
    if (stat(folder.empty() ? "." : folder.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0) return false;
    if (folder == folder.parent_path()) return true;
  }
}

bool PublicLibrary::IsFolderName(std::string_view name) { return PrivateFolder::IsName(name, kFolderPrefix); }

bool PublicLibrary::IsUsed(std::string_view folder_name, int64_t made_s) {
  const std::string wanted = Concat("/", folder_name, "/");
  for (const pid_t pid : ProcessIds()) {
    for (const std::string_view file : {"/environ", "/maps"}) {
      std::string text;
      const int failure = -ReadWholeFile(Concat("/proc/", pid, file).c_str(), text);
      if (text.find(wanted) != std::string::npos) return true;
      if ((failure == EACCES || failure == EPERM) && BeganSince(pid, made_s)) return true;
    }
  }
  return false;
}

PublicLibrary::PublicLibrary(const std::string& library) : original_(library), path_(library) {
  if (geteuid() != 0 || IsReadableByAll(library)) return;
  const char* const temporary = getenv("TMPDIR");
  if (!CopyTo(library, "/tmp") && temporary != nullptr) CopyTo(library, temporary);
}

std::string PublicLibrary::FileName(std::string_view library) {
  const std::string_view name = library.substr(library.rfind('/') + 1);
  return Concat(name.substr(0, name.find(".so")), ".so");
}

bool PublicLibrary::Remove() {
  struct stat info = {};
  if (folder_.empty() || lstat(folder_.c_str(), &info) != 0) return true;
  if (IsUsed(std::string_view(folder_).substr(folder_.rfind('/') + 1), info.st_mtime)) return false;
  std::error_code ignored;
  lock_.Close();  // where descriptors are few, removing needs this one
  std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
  return true;
}

// False: another folder may do. Without any the library is used where it is.
bool PublicLibrary::CopyTo(const std::string& library, const std::string& parent) {
  struct statvfs file_system = {};
  if (statvfs(parent.c_str(), &file_system) != 0 || (file_system.f_flag & ST_NOEXEC) != 0) return false;
  absl::StatusOr<PrivateFolder> made = PrivateFolder::Make(parent, kFolderPrefix);
  if (!made.ok()) return false;
  const std::string folder = made->path, copy = Concat(folder, "/", FileName(library));
  folder_ = folder;
  lock_ = std::move(made->lock);
  std::error_code error;
  std::filesystem::copy_file(library, copy, error);
  if (error || chmod(copy.c_str(), 0755) != 0 || chmod(folder.c_str(), 0755) != 0 || !IsReadableByAll(copy)) {
    lock_.Close();
    std::filesystem::remove_all(folder, error);
    folder_.clear();
    return false;
  }
  path_ = copy;
  return true;
}

}  // namespace geckoprof
