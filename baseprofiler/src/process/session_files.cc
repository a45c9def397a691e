#include "process/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/session_format.h"

namespace geckoprof {
namespace {

bool UseIn(const char* parent, std::span<char> path) {
  const long user = RawSyscall(SYS_geteuid);
  if (IsSyscallError(user)) return false;  // a filter's: whose folder it is cannot be told
  TextBuilder text(path);
  text.Text(parent).Text("/geckoprof-").Number(user);
  struct stat info = {};
  const auto look = [&] { return RawSyscall(SYS_newfstatat, AT_FDCWD, path.data(), &info, AT_SYMLINK_NOFOLLOW); };
  long result = look();
  if (result == -ENOENT) {
    RawSyscall(SYS_mkdirat, AT_FDCWD, path.data(), 0700);
    result = look();
  }
  // The name can be foreseen, and the parent is everybody's: only a directory that nobody else can write to will do.
  return !IsSyscallError(result) && S_ISDIR(info.st_mode) && info.st_uid == static_cast<uid_t>(user) &&
         (info.st_mode & 0077) == 0;
}

}  // namespace

bool UserSessionDirectory(std::span<char> path, uint32_t& next_parent) {
  constexpr const char* kParents[] = {"/dev/shm", "/tmp"};
  while (next_parent < std::size(kParents)) {
    if (UseIn(kParents[next_parent++], path)) return true;
  }
  path[0] = '\0';
  return false;
}

void WriteStopNote(const char* directory, ProcessId pid, const char* reason) {
  if (directory[0] == '\0') return;
  char path[512];
  TextBuilder(path).Text(directory).Text("/").Text(kNotePrefix).Number(pid.ToNumber());
  RawSyscall(SYS_symlinkat, reason, AT_FDCWD, path);
}

void ShowFiltered(const char* directory) {
  if (directory[0] == '\0') return;
  char path[512];
  TextBuilder(path).Text(directory).Text("/").Text(kFilteredName);
  const Fd file = Fd::Open(path, O_RDONLY);
  char nothing = 0;
  if (file.ok()) RawSyscall(SYS_read, file.number(), &nothing, 1);
}

bool IsSessionFull(const char* directory) {
  char path[512];
  TextBuilder text(path);
  text.Text(directory).Text("/").Text(kSessionFullName);
  return directory[0] != '\0' && text.complete() && !IsSyscallError(RawSyscall(SYS_faccessat, AT_FDCWD, path, F_OK));
}

bool IsSessionGone(const char* directory) {
  return directory[0] != '\0' && RawSyscall(SYS_faccessat, AT_FDCWD, directory, F_OK) == -ENOENT;
}

void RemoveSession(const char* segment_path, const char* directory) {
  if (segment_path[0] != '\0') RawSyscall(SYS_unlinkat, AT_FDCWD, segment_path, 0);
  RawSyscall(SYS_unlinkat, AT_FDCWD, directory, AT_REMOVEDIR);
}

}  // namespace geckoprof
