#include "geckoprof/modules/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include <charconv>
#include <cstring>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

namespace {

size_t ReadThroughProc(int32_t pid, uint64_t avma, std::span<uint8_t> out) {
  char path[32] = "/proc/self/mem";
  if (pid != 0) {
    char* end = std::to_chars(path + 6, path + sizeof path - 5, pid).ptr;
    std::memcpy(end, "/mem", 5);
  }
  Fd fd = Fd::Open(path, O_RDONLY);
  if (!fd.ok() && pid == 0) fd = Fd::Open("/proc/thread-self/mem", O_RDONLY);  // if the main thread has ended
  size_t done = 0;
  while (fd.ok() && done < out.size()) {
    const long got = RawSyscall(SYS_pread64, fd.number(), out.data() + done, out.size() - done, avma + done);
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace

bool ProcessMemory::Read(uint64_t avma, std::span<uint8_t> out) const { return ReadPrefix(avma, out) == out.size(); }

size_t ProcessMemory::ReadPrefix(uint64_t avma, std::span<uint8_t> out) const {
  // The id of a thread works like the process id. It has memory even if the main thread has ended.
  const long pid = pid_ != 0 ? pid_ : RawSyscall(SYS_gettid);
  size_t done = 0;
  while (done < out.size()) {
    iovec local{out.data() + done, out.size() - done};
    iovec remote{nullptr, local.iov_len};
    const uint64_t from = avma + done;
    static_assert(sizeof remote.iov_base == sizeof from);
    std::memcpy(&remote.iov_base, &from, sizeof from);
    const long got = RawSyscall(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);
    if (got == -EPERM || got == -ENOSYS || got == -EACCES) {
      return done + ReadThroughProc(pid_, from, out.subspan(done));
    }
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace geckoprof
