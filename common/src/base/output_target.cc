#include "geckoprof/base/output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

int ToErrno(long result) { return IsSyscallError(result) ? static_cast<int>(-result) : 0; }

// Returns the limit on file sizes. A write beyond it would send SIGXFSZ to the program.
uint64_t LargestFileBytes() {
  rlimit limit = {};
  return IsSyscallError(RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit)) ? 0 : limit.rlim_cur;
}

}  // namespace

OutputTarget::~OutputTarget() {
  file_.Close();
  if (temporary_[0] != '\0') RawSyscall(SYS_unlinkat, place_.folder.number(), temporary_, 0);
}

int OutputTarget::Open(const char* path) {
  error_ = place_.Find(path);
  if (error_ != 0) return error_;
  if (place_.way == FilePlace::Way::kStream) {
    file_ = place_.Open(O_WRONLY | O_NONBLOCK);
    return error_ = file_.error();
  }
  room_bytes_ = LargestFileBytes();
  return error_ = place_.way == FilePlace::Way::kInPlace ? OpenInPlace() : OpenReplacement();
}

int OutputTarget::OpenInPlace() {
  file_ = place_.Open(O_WRONLY);
  if (!file_.ok()) return file_.error();
  return FilePlace::IsOfTheKernel(file_.number()) ? EINVAL : 0;
}

int OutputTarget::OpenReplacement() {
  // The file is not replaced if we may not write it, although a rename would succeed.
  if (place_.exists) {
    const int error = ToErrno(RawSyscall(SYS_faccessat, place_.folder.number(), place_.name(), W_OK));
    if (error != 0) return error;
  }
  FilePlace::TemporaryName temporary;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  file_ = Fd(static_cast<int>(RawSyscall(SYS_openat, place_.folder.number(), temporary.text, kFlags, 0600)));
  if (!file_.ok()) return file_.error();
  TextBuilder(temporary_).Text(temporary.text);
  FilePlace::MakePrivate(file_.number());
  if (place_.exists) FilePlace::CopyPermissions(place_.status, file_.number());
  return 0;
}

bool OutputTarget::MayWriteSoon() const {
  timespec timeout = {static_cast<time_t>(patience_ns_ / kNsPerSecond), static_cast<long>(patience_ns_ % kNsPerSecond)};
  pollfd what = {file_.number(), POLLOUT, 0};
  for (;;) {
    const long result = RawSyscall(SYS_ppoll, &what, 1, &timeout, nullptr, 0);  // the kernel counts `timeout` down
    if (result != -EINTR) return result > 0;
  }
}

int OutputTarget::WriteAll(const char* bytes, size_t size_bytes) {
  while (size_bytes > 0) {
    const long done = RawSyscall(SYS_write, file_.number(), bytes, size_bytes);
    if (done == -EINTR || (done == -EAGAIN && MayWriteSoon())) continue;
    if (done <= 0) return done < 0 ? static_cast<int>(-done) : EIO;
    bytes += done;
    size_bytes -= static_cast<size_t>(done);
  }
  return 0;
}

int OutputTarget::Write(const char* bytes, size_t size_bytes) {
  if (error_ == 0 && size_bytes > room_bytes_) error_ = EFBIG;
  if (error_ != 0) return error_;
  if (!begun_ && place_.way == FilePlace::Way::kInPlace) {
    error_ = ToErrno(RawSyscall(SYS_ftruncate, file_.number(), 0));
    if (error_ != 0) return error_;
  }
  begun_ = true;
  if (place_.way != FilePlace::Way::kStream) {
    room_bytes_ -= size_bytes;
    return error_ = WriteAll(bytes, size_bytes);
  }
  // A pipe without a reader would end the program by SIGPIPE. The signal is blocked during the write. It is then
  // removed, unless it was pending before.
  const KernelSignalSet pipe_only = SignalBit(SIGPIPE);
  const SignalsBlocked blocked(pipe_only);
  KernelSignalSet before = 0;
  RawSyscall(SYS_rt_sigpending, &before, sizeof(before));
  error_ = WriteAll(bytes, size_bytes);
  timespec now = {};
  if (error_ == EPIPE && (before & pipe_only) == 0) {
    RawSyscall(SYS_rt_sigtimedwait, &pipe_only, nullptr, &now, sizeof(pipe_only));
  }
  return error_;
}

int OutputTarget::Commit() {
  if (error_ != 0) return error_;
  // Closing reports errors that a network file system or a quota found late.
  const int number = file_.number();
  file_.Forget();
  error_ = ToErrno(RawSyscall(SYS_close, number));
  // Linux closes the descriptor even if the call fails with EINTR.
  if (error_ == EINTR) error_ = 0;
  if (error_ != 0 || temporary_[0] == '\0') return error_;
  error_ =
      ToErrno(RawSyscall(SYS_renameat2, place_.folder.number(), temporary_, place_.folder.number(), place_.name(), 0));
  if (error_ == 0) temporary_[0] = '\0';
  return error_;
}

}  // namespace geckoprof
