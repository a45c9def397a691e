#include "geckoprof/base/fd.h"

#include <errno.h>
#include <fcntl.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

Fd Fd::Open(const char* path, int flags, unsigned mode) {
  return Fd(static_cast<int>(RawSyscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode)));
}

void Fd::Close() {
  if (number_ >= 0) RawSyscall(SYS_close, number_);
  number_ = -1;
}

int64_t Fd::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const long got = RawSyscall(SYS_pread64, number_, out.data() + done, out.size() - done, offset + done);
    if (got == -EINTR) continue;
    if (got < 0) return got;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<int64_t>(done);
}

void CloseDescriptorsFrom(int first) {
  constexpr unsigned kLast = ~0u;
  if (!IsSyscallError(RawSyscall(SYS_close_range, first, kLast, 0))) return;
  constexpr int kUsualLimit = 4096;  // for kernels before 5.9
  for (int number = first; number < kUsualLimit; ++number) RawSyscall(SYS_close, number);
}

int ReadWholeFile(const char* path, std::string& out) {
  out.clear();
  const Fd fd = Fd::Open(path, O_RDONLY);
  if (!fd.ok()) return -fd.error();
  size_t size = 0;
  for (;;) {
    constexpr size_t kLeastRoom = 4096;  // one read of a file in /proc returns at most this much
    if (out.size() - size < kLeastRoom) out.resize(2 * out.size() + 2 * kLeastRoom);
    const long got = RawSyscall(SYS_read, fd.number(), out.data() + size, out.size() - size);
    if (got == -EINTR) continue;
    if (got <= 0) {
      out.resize(size);
      return static_cast<int>(got);
    }
    size += static_cast<size_t>(got);
  }
}

}  // namespace geckoprof
