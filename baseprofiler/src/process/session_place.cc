#include "process/session_place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/segment_format.h"
#include "process/process_control.h"

namespace geckoprof {
namespace {

long Look(const char* path, struct stat& info) {
  return RawSyscall(SYS_newfstatat, AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW);
}

// Makes the directory if it does not exist. Any user can write to the parent, so the result is true only if the
// directory is this user's and other users have no access.
bool UsePrivate(const char* path, long user, struct stat& info) {
  long result = Look(path, info);
  if (result == -ENOENT && !IsSyscallError(RawSyscall(SYS_mkdirat, AT_FDCWD, path, 0700))) {
    RawSyscall(SYS_fchmodat, AT_FDCWD, path, 0700);  // the umask may have taken rights away
  }
  if (result == -ENOENT) result = Look(path, info);
  return !IsSyscallError(result) && S_ISDIR(info.st_mode) && info.st_uid == static_cast<uid_t>(user) &&
         (info.st_mode & 0077) == 0;
}

// The name geckoprof-<uid> is predictable. If another user has taken it, a name with the time serves this process.
bool UseIn(const char* parent, std::span<char> path, bool& is_taken) {
  const long user = RawSyscall(SYS_geteuid);
  if (IsSyscallError(user)) return false;  // a filter denied the call, so the owner is unknown
  TextBuilder name(path);
  name.Text(parent).Text("/geckoprof-").Number(user);
  struct stat info = {};
  if (UsePrivate(path.data(), user, info)) return true;
  const bool is_there = info.st_nlink != 0;
  if (!is_there || info.st_uid == static_cast<uid_t>(user)) return false;
  is_taken = true;
  name.Text("-").Number(MonotonicNs());
  return UsePrivate(path.data(), user, info);
}

}  // namespace

bool UserSessionDirectory(std::span<char> path, uint32_t& next_parent, bool& is_taken) {
  constexpr const char* kParents[] = {"/dev/shm", "/tmp"};
  while (next_parent < std::size(kParents)) {
    if (UseIn(kParents[next_parent++], path, is_taken)) return true;
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

bool IsAbandonedAndFull(const char* directory, uint64_t capacity_bytes) {
  // tmpfs counts this for each file. Other file systems count more, and some kilobytes for an empty folder.
  constexpr uint64_t kEntryBytes = 20;
  constexpr uint64_t kAnyEntries = 4096;
  constexpr uint64_t kLeastProcessBytes = 16 * 1024;
  struct stat info = {};
  if (IsSyscallError(RawSyscall(SYS_newfstatat, AT_FDCWD, directory, &info, 0)) ||
      static_cast<uint64_t>(info.st_size) / kEntryBytes <= kAnyEntries + capacity_bytes / kLeastProcessBytes) {
    return false;
  }
  const Fd folder = Fd::Open(directory, O_RDONLY | O_DIRECTORY);
  return folder.ok() && !IsSyscallError(RawSyscall(SYS_flock, folder.number(), LOCK_SH | LOCK_NB));
}

bool IsSessionGone(const char* directory) {
  return directory[0] != '\0' && RawSyscall(SYS_faccessat, AT_FDCWD, directory, F_OK) == -ENOENT;
}

void RemoveSession(const char* segment_path, const char* directory) {
  if (segment_path[0] != '\0') RawSyscall(SYS_unlinkat, AT_FDCWD, segment_path, 0);
  RawSyscall(SYS_unlinkat, AT_FDCWD, directory, AT_REMOVEDIR);
}

void SessionPlace::Choose(const char* given) {
  given_ = given;
  next_parent_ = 0;
  is_own_ = is_taken_ = false;
  if (given[0] == '\0') ChooseNext();
}

// Chooses the next of the user's own folders, or none.
void SessionPlace::ChooseNext() { is_own_ = UserSessionDirectory(own_, next_parent_, is_taken_); }

bool SessionPlace::IsFull(uint64_t capacity_bytes) const {
  return !is_own_ && given_[0] != '\0' && (IsSessionFull(given_) || IsAbandonedAndFull(given_, capacity_bytes));
}

SegmentLayout SessionPlace::Layout(uint64_t capacity_bytes) const {
  return {capacity_bytes, directory()[0] != '\0' ? directory() : nullptr, is_own_};
}

bool SessionPlace::Create(Segment& segment, uint64_t capacity_bytes, ProcessId pid, ProcessId parent) {
  Segment::CreateResult result = segment.Create(Layout(capacity_bytes), pid, parent);
  // A full own folder is given up for the next one. /dev/shm comes first, and then /tmp.
  while (is_own_ && result == Segment::CreateResult::kNoSpace) {
    RemoveSession("", own_);
    ChooseNext();
    result = segment.Create(Layout(capacity_bytes), pid, parent);
  }
  if (result == Segment::CreateResult::kAnonymous && is_given()) {
    segment.header().separations.fetch_or(kHasNoSession, std::memory_order_relaxed);
  }
  if (is_own_ && is_taken_ && result == Segment::CreateResult::kCreated) {
    segment.header().separations.fetch_or(kFolderTaken, std::memory_order_relaxed);
  }
  const bool is_made = result == Segment::CreateResult::kCreated || result == Segment::CreateResult::kAnonymous;
  if (!is_made) WriteStopNote(given_, pid, result == Segment::CreateResult::kNoSpace ? kNoteNoSpace : kNoteNoMemory);
  return is_made;
}

void SessionPlace::Remove(const Segment& segment) const {
  if (is_own_) RemoveSession(segment.path(), own_);
}

void ForkRecord::Create(const char* directory, ProcessId pid, ProcessId parent, int64_t begin_ns) {
  const bool is_one_of_many = forks_ > kMax;
  forks_ = 0;
  if (directory[0] == '\0' || is_one_of_many) return;
  char name[17] = {};
  // A long process name is cut here.
  CopyCommandName(reinterpret_cast<char(&)[16]>(name));
  char target[48];
  TextBuilder(target).Number(parent.ToNumber()).Text(" ").Text(name);
  TextBuilder path(path_);
  path.Text(directory).Text("/").Text(kChildPrefix).Number(pid.ToNumber()).Text("-").Number(begin_ns);
  const bool is_made = path.complete() && !IsSyscallError(RawSyscall(SYS_symlinkat, target, AT_FDCWD, path_));
  exists_.store(is_made, std::memory_order_release);
}

void ForkRecord::Remove() {
  if (Claim()) RawSyscall(SYS_unlinkat, AT_FDCWD, path_, 0);
}

void ForkRecord::End(int64_t end_ns, const ProcessEnd& end) {
  if (!Claim()) return;
  // A sampler that has only waited has used time in the kernel alone.
  const int64_t system_cpu_ns = std::max<int64_t>(end.system_cpu_ns - end.sampler_cpu_ns, 0);
  const int64_t numbers[] = {end_ns, end.status & 0xff, end.user_cpu_ns, system_cpu_ns,
                             static_cast<int64_t>(end.peak_memory_bytes)};
  char ended[sizeof(path_) + 112];
  TextBuilder name(ended);
  name.Text(path_);
  for (const int64_t number : numbers) name.Text("-").Number(number);
  RawSyscall(SYS_renameat2, AT_FDCWD, path_, AT_FDCWD, ended, 0);
}

}  // namespace geckoprof
