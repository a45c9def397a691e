#include "process/fork_record.h"

#include <fcntl.h>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/session_format.h"
#include "process/process_control.h"

namespace geckoprof {

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

void ForkRecord::End(int64_t end_ns, int64_t cpu_ns) {
  if (!Claim()) return;
  char ended[sizeof(path_) + 48];
  TextBuilder(ended).Text(path_).Text("-").Number(end_ns).Text("-").Number(cpu_ns);
  RawSyscall(SYS_renameat2, AT_FDCWD, path_, AT_FDCWD, ended, 0);
}

}  // namespace geckoprof
