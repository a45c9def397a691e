// Calls of open descriptors.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/io_hook.h"

extern "C" {
ssize_t __read_chk(int fd, void* to, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void* to, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void* to, size_t bytes, off64_t at, size_t room);
int __fxstat(int version, int fd, struct stat* out);
int __fxstat64(int version, int fd, struct stat64* out);
int close_range(unsigned first, unsigned last, int flags) noexcept;
void closefrom(int first) noexcept;
}

namespace geckoprof {
namespace {

GECKOPROF_IO_HOOK(read, "read", kIn);
GECKOPROF_IO_HOOK(__read_chk, "read", kIn);
GECKOPROF_IO_HOOK(write, "write", kOut);
GECKOPROF_IO_HOOK(pread, "pread", kIn);
GECKOPROF_IO_HOOK(pread64, "pread", kIn);
GECKOPROF_IO_HOOK(__pread_chk, "pread", kIn);
GECKOPROF_IO_HOOK(__pread64_chk, "pread", kIn);
GECKOPROF_IO_HOOK(pwrite, "pwrite", kOut);
GECKOPROF_IO_HOOK(pwrite64, "pwrite", kOut);
GECKOPROF_IO_HOOK(readv, "readv", kIn);
GECKOPROF_IO_HOOK(writev, "writev", kOut);
GECKOPROF_IO_HOOK(preadv, "preadv", kIn);
GECKOPROF_IO_HOOK(preadv64, "preadv", kIn);
GECKOPROF_IO_HOOK(pwritev, "pwritev", kOut);
GECKOPROF_IO_HOOK(pwritev64, "pwritev", kOut);
GECKOPROF_IO_HOOK(preadv2, "preadv2", kIn);
GECKOPROF_IO_HOOK(preadv64v2, "preadv2", kIn);
GECKOPROF_IO_HOOK(pwritev2, "pwritev2", kOut);
GECKOPROF_IO_HOOK(pwritev64v2, "pwritev2", kOut);
GECKOPROF_IO_HOOK(fsync, "fsync", kNone);
GECKOPROF_IO_HOOK(fdatasync, "fdatasync", kNone);
GECKOPROF_IO_HOOK(syncfs, "syncfs", kNone);
GECKOPROF_IO_HOOK(sync_file_range, "sync_file_range", kNone);
GECKOPROF_IO_HOOK(msync, "msync", kNone);
GECKOPROF_IO_HOOK(ftruncate, "ftruncate", kNone);
GECKOPROF_IO_HOOK(ftruncate64, "ftruncate", kNone);
GECKOPROF_IO_HOOK(fallocate, "fallocate", kNone);
GECKOPROF_IO_HOOK(fallocate64, "fallocate", kNone);
GECKOPROF_IO_HOOK(posix_fallocate, "posix_fallocate", kNone);
GECKOPROF_IO_HOOK(posix_fallocate64, "posix_fallocate", kNone);
GECKOPROF_IO_HOOK(fstat, "fstat", kNone);
GECKOPROF_IO_HOOK(fstat64, "fstat", kNone);
GECKOPROF_IO_HOOK(__fxstat, "fstat", kNone);
GECKOPROF_IO_HOOK(__fxstat64, "fstat", kNone);
GECKOPROF_IO_HOOK(close, "close", kNone);
GECKOPROF_IO_HOOK(dup, "dup", kNone);
GECKOPROF_IO_HOOK(dup2, "dup2", kNone);
GECKOPROF_IO_HOOK(dup3, "dup3", kNone);
constinit NextFunction<int(unsigned, unsigned, int)> g_close_range("close_range", close_range);
constinit NextFunction<void(int)> g_closefrom("closefrom", closefrom);
GECKOPROF_IO_HOOK(sendfile, "sendfile", kIn);
GECKOPROF_IO_HOOK(sendfile64, "sendfile", kIn);
GECKOPROF_IO_HOOK(splice, "splice", kIn);
GECKOPROF_IO_HOOK(tee, "tee", kIn);
GECKOPROF_IO_HOOK(copy_file_range, "copy_file_range", kIn);

// The bytes go from one descriptor to another. The call counts for both.
template <typename Signature, typename... Arguments>
[[gnu::always_inline]] inline ssize_t CallCopy(IoHook<Signature>& hook, int from, int to, Arguments... arguments) {
  const auto note = [&](geckoprof_time start, ssize_t result) {
    g_io_recorder.NoteDescriptor(hook.function, from, start, result);
    static constexpr IoFunction kOut{"", IoFunction::Bytes::kOut};
    g_io_recorder.NoteOtherEnd(kOut, to, result);
  };
  return CallAndNote(hook, note, arguments...);
}

}  // namespace

void FindNextDescriptorFunctions() {
  FindNextOf(g_read, g___read_chk, g_write, g_pread, g_pread64, g___pread_chk, g___pread64_chk, g_pwrite, g_pwrite64,
             g_readv, g_writev, g_preadv, g_preadv64, g_pwritev, g_pwritev64, g_preadv2, g_preadv64v2, g_pwritev2,
             g_pwritev64v2, g_fsync, g_fdatasync, g_syncfs, g_sync_file_range, g_msync, g_ftruncate, g_ftruncate64,
             g_fallocate, g_fallocate64, g_posix_fallocate, g_posix_fallocate64, g_fstat, g_fstat64, g___fxstat,
             g___fxstat64, g_close, g_dup, g_dup2, g_dup3, g_sendfile, g_sendfile64, g_splice, g_tee,
             g_copy_file_range);
}

}  // namespace geckoprof

using namespace geckoprof;

GECKOPROF_HOOK ssize_t read(int fd, void* to, size_t bytes) { return CallDescriptor(g_read, fd, fd, to, bytes); }
GECKOPROF_HOOK ssize_t __read_chk(int fd, void* to, size_t bytes, size_t room) {
  return CallDescriptor(g___read_chk, fd, fd, to, bytes, room);
}
GECKOPROF_HOOK ssize_t write(int fd, const void* from, size_t bytes) {
  return CallDescriptor(g_write, fd, fd, from, bytes);
}
GECKOPROF_HOOK ssize_t pread(int fd, void* to, size_t bytes, off_t at) {
  return CallDescriptor(g_pread, fd, fd, to, bytes, at);
}
GECKOPROF_HOOK ssize_t pread64(int fd, void* to, size_t bytes, off64_t at) {
  return CallDescriptor(g_pread64, fd, fd, to, bytes, at);
}
GECKOPROF_HOOK ssize_t __pread_chk(int fd, void* to, size_t bytes, off_t at, size_t room) {
  return CallDescriptor(g___pread_chk, fd, fd, to, bytes, at, room);
}
GECKOPROF_HOOK ssize_t __pread64_chk(int fd, void* to, size_t bytes, off64_t at, size_t room) {
  return CallDescriptor(g___pread64_chk, fd, fd, to, bytes, at, room);
}
GECKOPROF_HOOK ssize_t pwrite(int fd, const void* from, size_t bytes, off_t at) {
  return CallDescriptor(g_pwrite, fd, fd, from, bytes, at);
}
GECKOPROF_HOOK ssize_t pwrite64(int fd, const void* from, size_t bytes, off64_t at) {
  return CallDescriptor(g_pwrite64, fd, fd, from, bytes, at);
}
GECKOPROF_HOOK ssize_t readv(int fd, const iovec* to, int count) { return CallDescriptor(g_readv, fd, fd, to, count); }
GECKOPROF_HOOK ssize_t writev(int fd, const iovec* from, int count) {
  return CallDescriptor(g_writev, fd, fd, from, count);
}
GECKOPROF_HOOK ssize_t preadv(int fd, const iovec* to, int count, off_t at) {
  return CallDescriptor(g_preadv, fd, fd, to, count, at);
}
GECKOPROF_HOOK ssize_t preadv64(int fd, const iovec* to, int count, off64_t at) {
  return CallDescriptor(g_preadv64, fd, fd, to, count, at);
}
GECKOPROF_HOOK ssize_t pwritev(int fd, const iovec* from, int count, off_t at) {
  return CallDescriptor(g_pwritev, fd, fd, from, count, at);
}
GECKOPROF_HOOK ssize_t pwritev64(int fd, const iovec* from, int count, off64_t at) {
  return CallDescriptor(g_pwritev64, fd, fd, from, count, at);
}
GECKOPROF_HOOK ssize_t preadv2(int fd, const iovec* to, int count, off_t at, int flags) {
  return CallDescriptor(g_preadv2, fd, fd, to, count, at, flags);
}
GECKOPROF_HOOK ssize_t preadv64v2(int fd, const iovec* to, int count, off64_t at, int flags) {
  return CallDescriptor(g_preadv64v2, fd, fd, to, count, at, flags);
}
GECKOPROF_HOOK ssize_t pwritev2(int fd, const iovec* from, int count, off_t at, int flags) {
  return CallDescriptor(g_pwritev2, fd, fd, from, count, at, flags);
}
GECKOPROF_HOOK ssize_t pwritev64v2(int fd, const iovec* from, int count, off64_t at, int flags) {
  return CallDescriptor(g_pwritev64v2, fd, fd, from, count, at, flags);
}

GECKOPROF_HOOK int fsync(int fd) { return CallDescriptor(g_fsync, fd, fd); }
GECKOPROF_HOOK int fdatasync(int fd) { return CallDescriptor(g_fdatasync, fd, fd); }
GECKOPROF_HOOK int syncfs(int fd) noexcept { return CallDescriptor(g_syncfs, fd, fd); }
GECKOPROF_HOOK int sync_file_range(int fd, off64_t at, off64_t bytes, unsigned flags) {
  return CallDescriptor(g_sync_file_range, fd, fd, at, bytes, flags);
}
GECKOPROF_HOOK int msync(void* memory, size_t bytes, int flags) {
  const auto note = [](geckoprof_time start, int) {
    g_io_recorder.NoteClass(g_msync.function, IoClass::kFile, "(mapped memory)", start, 0);
  };
  return CallAndNote(g_msync, note, memory, bytes, flags);
}
GECKOPROF_HOOK int ftruncate(int fd, off_t bytes) noexcept { return CallDescriptor(g_ftruncate, fd, fd, bytes); }
GECKOPROF_HOOK int ftruncate64(int fd, off64_t bytes) noexcept { return CallDescriptor(g_ftruncate64, fd, fd, bytes); }
GECKOPROF_HOOK int fallocate(int fd, int mode, off_t at, off_t bytes) {
  return CallDescriptor(g_fallocate, fd, fd, mode, at, bytes);
}
GECKOPROF_HOOK int fallocate64(int fd, int mode, off64_t at, off64_t bytes) {
  return CallDescriptor(g_fallocate64, fd, fd, mode, at, bytes);
}
GECKOPROF_HOOK int posix_fallocate(int fd, off_t at, off_t bytes) {
  return CallDescriptor(g_posix_fallocate, fd, fd, at, bytes);
}
GECKOPROF_HOOK int posix_fallocate64(int fd, off64_t at, off64_t bytes) {
  return CallDescriptor(g_posix_fallocate64, fd, fd, at, bytes);
}
GECKOPROF_HOOK int fstat(int fd, struct stat* out) noexcept { return CallDescriptor(g_fstat, fd, fd, out); }
GECKOPROF_HOOK int fstat64(int fd, struct stat64* out) noexcept { return CallDescriptor(g_fstat64, fd, fd, out); }
GECKOPROF_HOOK int __fxstat(int version, int fd, struct stat* out) {
  return CallDescriptor(g___fxstat, fd, version, fd, out);
}
GECKOPROF_HOOK int __fxstat64(int version, int fd, struct stat64* out) {
  return CallDescriptor(g___fxstat64, fd, version, fd, out);
}

GECKOPROF_HOOK int close(int fd) { return CallClose(g_close, fd, fd); }
GECKOPROF_HOOK int dup(int fd) noexcept {
  const int made = CallDescriptor(g_dup, fd, fd);
  g_io_recorder.Forget(made);
  return made;
}
GECKOPROF_HOOK int dup2(int fd, int other) noexcept { return CallClose(g_dup2, other, fd, other); }
GECKOPROF_HOOK int dup3(int fd, int other, int flags) noexcept { return CallClose(g_dup3, other, fd, other, flags); }
GECKOPROF_HOOK int close_range(unsigned first, unsigned last, int flags) noexcept {
  auto* const next = g_close_range.get();
  if (next == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  g_io_recorder.ForgetRange(first, last);
  const int result = next(first, last, flags);
  g_io_recorder.ForgetRange(first, last);
  return result;
}
GECKOPROF_HOOK void closefrom(int first) noexcept {
  auto* const next = g_closefrom.get();
  if (next == nullptr) return;
  const unsigned from = first < 0 ? 0 : static_cast<unsigned>(first);
  g_io_recorder.ForgetRange(from, ~0u);
  next(first);
  g_io_recorder.ForgetRange(from, ~0u);
}

GECKOPROF_HOOK ssize_t sendfile(int to, int from, off_t* at, size_t bytes) noexcept {
  return CallCopy(g_sendfile, from, to, to, from, at, bytes);
}
GECKOPROF_HOOK ssize_t sendfile64(int to, int from, off64_t* at, size_t bytes) noexcept {
  return CallCopy(g_sendfile64, from, to, to, from, at, bytes);
}
GECKOPROF_HOOK ssize_t splice(int from, off64_t* from_at, int to, off64_t* to_at, size_t bytes, unsigned flags) {
  return CallCopy(g_splice, from, to, from, from_at, to, to_at, bytes, flags);
}
GECKOPROF_HOOK ssize_t tee(int from, int to, size_t bytes, unsigned flags) {
  return CallCopy(g_tee, from, to, from, to, bytes, flags);
}
GECKOPROF_HOOK ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t bytes,
                                       unsigned flags) {
  return CallCopy(g_copy_file_range, from, to, from, from_at, to, to_at, bytes, flags);
}
