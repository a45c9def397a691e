#include "shutdown/shutdown_command.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <span>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/file_place.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/segment/segment_copy.h"
#include "sampler/raw_thread.h"
#include "shutdown/command_search.h"

namespace geckoprof {
namespace {

constexpr int kSegmentNumber = 3, kTargetNumber = 4;

// The memory of the launcher and of the command's beginning. It is a mapping of its own, since the program may have
// called exit on a small stack. It has copies of the task's short-lived parts, because a slow command may begin after
// RunShutdownCommand has returned.
struct Room {
  ShutdownTask task;
  char file[StartParameters::kPathBytes];  // that of the task
  std::atomic<uint32_t> launcher_tid;      // cleared by the kernel when the launcher ends
  std::atomic<uint32_t> failure;           // of the outcome; relaxed: read when the launcher has ended
  std::atomic<int32_t> detail;
  std::atomic<int32_t> exec_error;  // why there is no command; 0: there is one
  bool has_target;                  // descriptor 4 is FILE
  std::string_view path_list;
  FilePlace place;
  char library[4096];
  char command[4096];
  char maps[16 * 1024];
  const char* arguments[12];
  static constexpr size_t kMaxVariables = 1023;
  const char* environment[kMaxVariables + 1];  // and a null
  char environment_text[128 * 1024];
  alignas(16) uint8_t command_stack[16 * 1024];
  alignas(16) uint8_t launcher_stack[32 * 1024];
};

void SetOutcome(Room& room, ShutdownFailure failure, long detail) {
  room.failure.store(static_cast<uint32_t>(failure), std::memory_order_relaxed);
  room.detail.store(static_cast<int32_t>(detail), std::memory_order_relaxed);
}

void SetDisposition(int signal, void (*handler)(int)) {
  struct {  // the kernel's sigaction: handler, flags, restorer, mask
    void (*handler)(int);
    uint64_t rest[3];
  } action = {handler, {}};
  RawSyscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof(KernelSignalSet));
}

// A file that grows past a limit must give an error and no signal until the command runs.
void ResetDispositions() {
  for (int signal = 1; signal < NSIG; ++signal) SetDisposition(signal, signal == SIGXFSZ ? SIG_IGN : SIG_DFL);
}

// Lets the command keep the descriptor.
void ClearCloseOnExec(int number) { RawSyscall(SYS_fcntl, number, F_SETFD, 0); }

// Makes descriptor `number` a copy of `file` that the command keeps. Returns 0, or what errno(3) says of it.
int MoveTo(Fd file, int number) {
  if (!file.ok()) return file.error();
  if (file.number() == number) {
    ClearCloseOnExec(number);
    file.Forget();
    return 0;
  }
  const long result = RawSyscall(SYS_dup3, file.number(), number, 0);
  return IsSyscallError(result) ? static_cast<int>(-result) : 0;
}

// FilePlace needs two descriptors. If too few are free, the launcher closes two that the command has no use for.
void FreeTwoDescriptors() {
  const Fd first = Fd::Open("/", O_PATH), second = Fd::Open("/", O_PATH);
  if (second.error() != EMFILE) return;
  RawSyscall(SYS_close, STDIN_FILENO);
  RawSyscall(SYS_close, STDERR_FILENO);
}

// Opens FILE if the command could not open it by its name. Links of /proc lead to the program's descriptors only here.
int OpenTarget(Room& room) {
  FreeTwoDescriptors();
  if (const int error = room.place.Find(room.task.file); error != 0) return error;
  if (room.place.way == FilePlace::Way::kReplace) return 0;
  const bool is_stream = room.place.way == FilePlace::Way::kStream;
  Fd target = room.place.Open(O_WRONLY | (is_stream ? O_NONBLOCK : 0));
  if (!target.ok()) return target.error();
  if (!is_stream && FilePlace::IsOfTheKernel(target.number())) return EINVAL;
  room.has_target = true;
  return MoveTo(std::move(target), kTargetNumber);
}

void CloseProgramDescriptors(bool has_target) {
  CloseDescriptorsFrom(has_target ? kTargetNumber + 1 : 0);
  for (int number = 0; has_target && number < kTargetNumber; ++number) RawSyscall(SYS_close, number);
}

bool IsForCommand(std::string_view variable) {
  for (const std::string_view ours : {"GECKOPROF_", "LD_PRELOAD=", "LD_AUDIT="}) {
    if (variable.starts_with(ours)) return false;
  }
  return variable.find('=') != std::string_view::npos;
}

// Reads the variables from /proc, because the program may have moved or freed its environment. Variables without room
// are left out.
void ReadEnvironment(Room& room) {
  constexpr std::string_view kPath = "PATH=";
  const Fd file = Fd::Open("/proc/self/environ", O_RDONLY);
  const std::span<uint8_t> text(reinterpret_cast<uint8_t*>(room.environment_text), sizeof(room.environment_text) - 1);
  const int64_t bytes = file.ok() ? file.ReadAt(0, text) : 0;
  std::string_view rest(room.environment_text, static_cast<size_t>(bytes > 0 ? bytes : 0));
  size_t count = 0;
  // The last variable may be cut.
  for (size_t end = rest.find('\0'); end != std::string_view::npos && count < Room::kMaxVariables;
       end = rest.find('\0')) {
    const std::string_view variable = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!IsForCommand(variable)) continue;
    room.environment[count++] = variable.data();
    if (room.path_list.empty() && variable.starts_with(kPath)) room.path_list = variable.substr(kPath.size());
  }
  room.environment[count] = nullptr;
}

int OpenNull() {
  Fd null = Fd::Open("/dev/null", O_RDWR);
  if (!null.ok()) return null.error();
  for (int number = 1; number <= 2; ++number) {
    if (RawSyscall(SYS_dup3, null.number(), number, 0) != number) return EMFILE;
  }
  return MoveTo(std::move(null), 0);
}

int WriteAll(void* file, const void* bytes, size_t size_bytes) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  while (size_bytes > 0) {
    const long done = RawSyscall(SYS_write, static_cast<const Fd*>(file)->number(), at, size_bytes);
    if (done == -EINTR) continue;
    if (done <= 0) return done < 0 ? static_cast<int>(-done) : EIO;
    at += done;
    size_bytes -= static_cast<size_t>(done);
  }
  return 0;
}

// Copies a segment that has no file. The file may also have gone, or the process may not open it any more.
int OpenSegment(const Segment& segment) {
  Fd file = segment.OpenFile(O_RDONLY);
  if (!file.ok()) {
    file = Fd(static_cast<int>(RawSyscall(SYS_memfd_create, "geckoprof-segment", 0)));
    if (!file.ok()) return file.error();
    if (const int error = SegmentCopy(segment).WriteTo(&WriteAll, &file); error != 0) return error;
  }
  return MoveTo(std::move(file), kSegmentNumber);
}

void FillArguments(Room& room) {
  const char** next = room.arguments;
  for (const char* const word : {static_cast<const char*>(room.command), "recover", "--shutdown", "3"}) *next++ = word;
  if (room.has_target) {
    *next++ = "--write-to";
    *next++ = "4";
  }
  if (room.task.removed != nullptr) {
    *next++ = "--remove";
    *next++ = room.task.removed;
  }
  *next++ = "-o";
  *next++ = room.task.file;
  *next = nullptr;
}

// The command must not keep others from the processor.
void ResetScheduling() {
  RawThread::Scheduling own = {};
  if (!RawThread::GetScheduling(own) || (own.policy != SCHED_FIFO && own.policy != SCHED_RR)) return;
  const int priority = 0;
  RawSyscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &priority);
}

// Runs in the process that becomes the command, in the launcher's memory. It returns if there is no command.
int BecomeCommand(void* argument) {
  Room& room = *static_cast<Room*>(argument);
  RawSyscall(SYS_setsid);
  ResetScheduling();
  SetDisposition(SIGXFSZ, SIG_DFL);
  const KernelSignalSet none = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof(none));
  CommandSearch search({room.task.command, room.library, room.path_list});
  long error = ENOENT;
  while ((error == ENOENT || error == EACCES) && search.Next(room.command)) {
    const long reason = -RawSyscall(SYS_execve, room.command, room.arguments, room.environment);
    // The search goes on behind a file that may not be executed, as that of execvp(3). If no command follows, EACCES is
    // the reason.
    if (reason != ENOENT && reason != ENOTDIR) error = reason;
  }
  room.exec_error.store(static_cast<int32_t>(error), std::memory_order_relaxed);
  return 127;
}

void WaitForCommand(long pid, Room& room) {
  int status = 0;
  long result = 0;
  do {
    result = RawSyscall(SYS_wait4, pid, &status, __WALL, nullptr);
  } while (result == -EINTR);
  if (const int error = room.exec_error.load(std::memory_order_relaxed); error != 0) {
    SetOutcome(room, ShutdownFailure::kNoCommand, error);
  } else if (WIFSIGNALED(status)) {
    SetOutcome(room, ShutdownFailure::kKilled, WTERMSIG(status));
  } else {
    const int exit_status = WEXITSTATUS(status);
    const bool is_written = exit_status == static_cast<int>(ShutdownStatus::kWritten);
    SetOutcome(room, is_written ? ShutdownFailure::kDidNotFail : ShutdownFailure::kExited, exit_status);
  }
}

int RunLauncher(void* argument) {
  Room& room = *static_cast<Room*>(argument);
  RawSyscall(SYS_setsid);
  ResetDispositions();
  if (const int error = OpenTarget(room); error != 0) {
    SetOutcome(room, ShutdownFailure::kBadPath, error);
    return 0;
  }
  CloseProgramDescriptors(room.has_target);
  ReadEnvironment(room);
  if (HasChangedIds()) room.path_list = {};
  PathOfCode(reinterpret_cast<const void*>(&RunLauncher), room.maps, room.library);
  FillArguments(room);
  int error = OpenNull();
  if (error == 0) error = OpenSegment(*room.task.segment);
  if (error != 0) {
    SetOutcome(room, ShutdownFailure::kNoHandOver, error);
    return 0;
  }
  uint8_t* const stack_end = room.command_stack + sizeof(room.command_stack);
  const long pid = geckoprof_clone_thread(CLONE_VM | CLONE_VFORK | SIGCHLD, stack_end, &room.launcher_tid, nullptr,
                                          &BecomeCommand, &room);
  CloseDescriptorsFrom(0);
  if (IsSyscallError(pid)) {
    SetOutcome(room, ShutdownFailure::kNoProcess, -pid);
  } else {
    WaitForCommand(pid, room);
  }
  return 0;
}

// Waits until the kernel has cleared the word. Returns false if that does not happen until the deadline.
bool WaitUntilCleared(const std::atomic<uint32_t>& tid, int64_t deadline_ns) {
  const timespec deadline = {deadline_ns / kNsPerSecond, deadline_ns % kNsPerSecond};
  for (;;) {
    const uint32_t seen = tid.load(std::memory_order_acquire);
    if (seen == 0) return true;
    if (MonotonicNs() >= deadline_ns) return false;
    // The futex must not be private, because the kernel wakes this word as a shared futex (set_tid_address(2)).
    RawSyscall(SYS_futex, &tid, FUTEX_WAIT_BITSET, seen, &deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
  }
}

// Takes the status of a launcher that has ended.
void Reap(long launcher) {
  while (RawSyscall(SYS_wait4, launcher, nullptr, __WCLONE, nullptr) == -EINTR) {
  }
}

// Ends the launcher. It may be in a call that even a kill does not end at once, so its status is not waited for long.
void KillAndReap(long launcher) {
  constexpr int kTurns = 100;
  RawSyscall(SYS_kill, launcher, SIGKILL);
  for (int turn = 0; turn < kTurns; ++turn) {
    if (RawSyscall(SYS_wait4, launcher, nullptr, __WCLONE | WNOHANG, nullptr) != 0) return;
    SleepUntilNs(MonotonicNs() + kNsPerMs);
  }
}

}  // namespace

ShutdownOutcome RunShutdownCommand(const ShutdownTask& task, int64_t patience_ns) {
  PageMemory memory = PageMemory::Map(RoundUpTo(sizeof(Room), kPageBytes));
  if (!memory) return {ShutdownFailure::kNoProcess, ENOMEM};
  Room& room = *new (memory.data()) Room;
  room.task = task;
  TextBuilder(room.file).Text(task.file);
  room.task.file = room.file;
  SetOutcome(room, ShutdownFailure::kKilled, SIGKILL);  // unless the launcher says otherwise
  const int64_t deadline_ns = MonotonicNs() + patience_ns;
  constexpr unsigned long kFlags = CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  uint8_t* const stack_end = room.launcher_stack + sizeof(room.launcher_stack);
  const SignalsBlocked inherited;
  const long launcher = geckoprof_clone_thread(kFlags, stack_end, &room.launcher_tid, nullptr, &RunLauncher, &room);
  if (IsSyscallError(launcher)) return {ShutdownFailure::kNoProcess, static_cast<int32_t>(-launcher)};
  if (!WaitUntilCleared(room.launcher_tid, deadline_ns)) {
    memory.Release();  // the command may not have begun, and would use it
    KillAndReap(launcher);
    return {ShutdownFailure::kSlow, 0};
  }
  Reap(launcher);
  return {static_cast<ShutdownFailure>(room.failure.load(std::memory_order_relaxed)),
          room.detail.load(std::memory_order_relaxed)};
}

}  // namespace geckoprof
