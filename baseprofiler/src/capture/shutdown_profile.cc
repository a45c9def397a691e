#include "capture/shutdown_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <span>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/streaming/gecko_writer.h"
#include "geckoprof/streaming/segment_reader.h"
#include "runtime/base_heap.h"

namespace geckoprof {
namespace {

struct Job {
  const Segment* segment;
  int fd;
  uint64_t room_bytes;  // what RLIMIT_FSIZE still allows: a write past it would send SIGXFSZ to the program
  bool written;
};

uint64_t LargestFile() {
  rlimit limit = {};
  const long result = RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit);
  return IsSyscallError(result) ? 0 : limit.rlim_cur;
}

// Waits until a pipe takes more. A reader that does not read for so long does not hold up the program's end.
bool CanWriteSoon(int fd) {
  timespec timeout = {2, 0};
  pollfd what = {fd, POLLOUT, 0};
  return RawSyscall(SYS_ppoll, &what, 1, &timeout, nullptr, 0) > 0 && (what.revents & POLLOUT) != 0;
}

bool WriteBytes(void* context, const char* bytes, size_t size_bytes) {
  auto* const job = static_cast<Job*>(context);
  if (size_bytes > job->room_bytes) return false;
  job->room_bytes -= size_bytes;
  while (size_bytes > 0) {
    const long done = RawSyscall(SYS_write, job->fd, bytes, size_bytes);
    if (done == -EINTR || (done == -EAGAIN && CanWriteSoon(job->fd))) continue;
    if (done <= 0) return false;
    bytes += done;
    size_bytes -= static_cast<size_t>(done);
  }
  return true;
}

void Run(void* argument) {
  auto* const job = static_cast<Job*>(argument);
  ProcessProfile profile;
  const SegmentReadResult result = ReadOwnSegment(*job->segment, profile);
  if (result.status != SegmentReadStatus::kOk && result.status != SegmentReadStatus::kDamaged) return;
  JsonWriter writer({&WriteBytes, job});
  WriteGeckoProfile(profile, {}, writer);
  job->written = writer.Finish();
}

bool WriteJson(const Segment& segment, const Fd& file) {
  Job job{&segment, file.number(), LargestFile(), false};
  return BaseHeap::RunOrEscape(&Run, &job) && job.written;
}

// A pipe whose reader has gone would end the program by SIGPIPE: none is left behind that was not there before.
bool WriteJsonWithoutSigpipe(const Segment& segment, const Fd& file) {
  const KernelSignalSet pipe_only = SignalBit(SIGPIPE);
  const SignalsBlocked blocked(pipe_only);
  KernelSignalSet before = 0;
  RawSyscall(SYS_rt_sigpending, &before, sizeof(before));
  const bool written = WriteJson(segment, file);
  timespec now = {};
  if ((before & pipe_only) == 0) RawSyscall(SYS_rt_sigtimedwait, &pipe_only, nullptr, &now, sizeof(pipe_only));
  return written;
}

constexpr size_t kMostPathBytes = 4200;

// The name of the file itself that `path` leads to through links; `path` where /proc does not tell.
const char* NameOfFile(const char* path, std::span<char, kMostPathBytes> room) {
  const Fd file = Fd::Open(path, O_PATH);
  char link[32];
  TextBuilder(link).Text("/proc/self/fd/").Number(file.number());
  const long bytes = RawSyscall(SYS_readlinkat, AT_FDCWD, link, room.data(), room.size() - 1);
  if (!file.ok() || bytes <= 0 || room[0] != '/') return path;
  room[static_cast<size_t>(bytes)] = '\0';
  return room.data();
}

}  // namespace

bool WriteShutdownProfile(const Segment& segment, const char* path) {
  struct stat info = {};
  const bool exists = !IsSyscallError(RawSyscall(SYS_newfstatat, AT_FDCWD, path, &info, 0));
  if (exists && !S_ISREG(info.st_mode)) {
    // A device or a pipe is written to; a rename would replace it.
    const Fd file = Fd::Open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    return file.ok() && WriteJsonWithoutSigpipe(segment, file);
  }
  char followed[kMostPathBytes];
  if (exists) path = NameOfFile(path, followed);
  char temporary[kMostPathBytes];
  TextBuilder name(temporary);
  name.Text(path).Text(".").Number(RawSyscall(SYS_getpid)).Text(".tmp");
  Fd file = Fd::Open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (!name.complete() || !file.ok()) return false;
  if (exists) RawSyscall(SYS_fchmod, file.number(), info.st_mode & 0777);
  const bool written = WriteJson(segment, file);
  file.Close();
  if (written && !IsSyscallError(RawSyscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, path, 0))) return true;
  RawSyscall(SYS_unlinkat, AT_FDCWD, temporary, 0);
  return false;
}

bool WriteShutdownProfileOn(RawThread& thread, const Segment& segment, const char* path) {
  struct Work {
    const Segment& segment;
    const char* path;
    bool written;
  } work{segment, path, false};
  const auto write = [](void* argument) {
    auto* const given = static_cast<Work*>(argument);
    given->written = WriteShutdownProfile(given->segment, given->path);
    return 0;
  };
  if (thread.Start(write, &work) == 0) {
    thread.WaitForEnd();
  } else {
    write(&work);
  }
  return work.written;
}

}  // namespace geckoprof
