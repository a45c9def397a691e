#include "process/fork_record.h"

#include <fcntl.h>

#include <algorithm>

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
