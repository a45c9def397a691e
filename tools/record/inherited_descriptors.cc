#include "tools/record/inherited_descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Of this process (proc_locks(5)): "1: POSIX  ADVISORY  WRITE 4711 08:02:1234 0 EOF".
constexpr size_t kKindField = 1;
constexpr size_t kOwnerField = 4;
bool HoldsRecordLock() {
  std::string locks;
  if (ReadWholeFile("/proc/locks", locks) != 0) return false;
  const std::string self = Concat(getpid());
  for (const absl::string_view line : absl::StrSplit(locks, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (fields.size() > kOwnerField && fields[kKindField] == "POSIX" && fields[kOwnerField] == self) return true;
  }
  return false;
}

// The descriptors that were open at the exec of this program. The loader calls functions of .preinit_array before the
// constructors of libraries. The table is bounded, and further descriptors count as inherited.
constexpr int kMostNumbers = 256;
bool g_knows_exec = false;
bool g_open_at_exec[kMostNumbers];

#if !defined(GECKOPROF_SANITIZED)  // a sanitizer's run time is not ready there
void NoteOpenAtExec(int, char**, char**) {
  g_knows_exec = true;
  for (int number = 0; number < kMostNumbers; ++number) {
    g_open_at_exec[number] = !IsSyscallError(RawSyscall(SYS_fcntl, number, F_GETFD));
  }
}
__attribute__((section(".preinit_array"), used)) void (*g_note_open_at_exec)(int, char**, char**) = &NoteOpenAtExec;
#endif

bool IsOfLibrary(int number) { return g_knows_exec && number < kMostNumbers && !g_open_at_exec[number]; }

}  // namespace

InheritedDescriptors::InheritedDescriptors(Since since) {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    int number = -1;
    if (absl::SimpleAtoi(entries->path().filename().native(), &number)) numbers_.push_back(number);
  }
  // The iterator's own is among them, and was closed at its end.
  std::erase_if(numbers_, [since](int number) {
    const bool is_of_library = since == Since::kExec && IsOfLibrary(number);
    if (is_of_library) fcntl(number, F_SETFD, FD_CLOEXEC);
    return is_of_library || fcntl(number, F_GETFD) < 0;
  });
}

void InheritedDescriptors::GiveUp(const std::string& output) const {
  if (HoldsRecordLock()) return;
  struct stat of_output = {};
  const bool has_output = stat(output.c_str(), &of_output) == 0;
  for (const int number : numbers_) {
    struct stat status = {};
    const bool is_output = has_output && fstat(number, &status) == 0 && status.st_dev == of_output.st_dev &&
                           status.st_ino == of_output.st_ino;
    if (number == STDERR_FILENO || is_output) continue;
    if (number > STDERR_FILENO) {
      close(number);
    } else if (const Fd nowhere = Fd::Open("/dev/null", O_RDWR | O_CLOEXEC); nowhere.ok()) {
      dup3(nowhere.number(), number, O_CLOEXEC);
    }
  }
}

}  // namespace geckoprof
