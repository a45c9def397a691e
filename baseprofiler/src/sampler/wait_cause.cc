#include "sampler/wait_cause.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

// How the cause of a wait follows from the number of the system call.
enum class Rule : uint8_t {
  kFutex,
  kDescriptor,  // the kind of the descriptor in the first argument
  kPoll,        // the second argument is the number of descriptors, which may be none
  kSelect,      // as kPoll, with the number in the first argument
  kPollAlways,
  kSleep,
  kCondition,
  kFile,
  kSocket,
  kChild,
};

struct CallRule {
  uint16_t number;
  Rule rule;
};

// The list is sorted at compile time.
template <size_t kCount>
constexpr std::array<CallRule, kCount> Sorted(std::array<CallRule, kCount> rules) {
  std::sort(rules.begin(), rules.end(), [](const CallRule& a, const CallRule& b) { return a.number < b.number; });
  return rules;
}

constexpr auto kRules = Sorted(std::to_array<CallRule>({
    {SYS_futex, Rule::kFutex},
    {SYS_futex_waitv, Rule::kCondition},
    {455, Rule::kCondition},  // futex_wait, which the headers do not have
    {SYS_semop, Rule::kCondition},
    {SYS_semtimedop, Rule::kCondition},

    {SYS_nanosleep, Rule::kSleep},
    {SYS_clock_nanosleep, Rule::kSleep},
    {SYS_rt_sigsuspend, Rule::kSleep},
    {SYS_rt_sigtimedwait, Rule::kSleep},

    {SYS_ppoll, Rule::kPoll},
    {SYS_pselect6, Rule::kSelect},
    {SYS_epoll_pwait, Rule::kPollAlways},
    {SYS_epoll_pwait2, Rule::kPollAlways},
    {SYS_io_uring_enter, Rule::kPollAlways},
    {SYS_io_getevents, Rule::kPollAlways},
    {SYS_io_pgetevents, Rule::kPollAlways},

    {SYS_wait4, Rule::kChild},
    {SYS_waitid, Rule::kChild},
    {SYS_clone, Rule::kChild},  // vfork(2) waits in it
    {SYS_clone3, Rule::kChild},

    {SYS_accept, Rule::kSocket},
    {SYS_accept4, Rule::kSocket},
    {SYS_connect, Rule::kSocket},
    {SYS_recvfrom, Rule::kSocket},
    {SYS_recvmsg, Rule::kSocket},
    {SYS_recvmmsg, Rule::kSocket},
    {SYS_sendto, Rule::kSocket},
    {SYS_sendmsg, Rule::kSocket},
    {SYS_sendmmsg, Rule::kSocket},
    {SYS_shutdown, Rule::kSocket},

    {SYS_read, Rule::kDescriptor},
    {SYS_write, Rule::kDescriptor},
    {SYS_readv, Rule::kDescriptor},
    {SYS_writev, Rule::kDescriptor},
    {SYS_pread64, Rule::kDescriptor},
    {SYS_pwrite64, Rule::kDescriptor},
    {SYS_preadv, Rule::kDescriptor},
    {SYS_pwritev, Rule::kDescriptor},
    {SYS_preadv2, Rule::kDescriptor},
    {SYS_pwritev2, Rule::kDescriptor},
    {SYS_ioctl, Rule::kDescriptor},
    {SYS_fcntl, Rule::kDescriptor},
    {SYS_close, Rule::kDescriptor},
    {SYS_sendfile, Rule::kDescriptor},
    {SYS_splice, Rule::kDescriptor},
    {SYS_tee, Rule::kDescriptor},
    {SYS_vmsplice, Rule::kDescriptor},

    {SYS_fsync, Rule::kFile},
    {SYS_fdatasync, Rule::kFile},
    {SYS_sync, Rule::kFile},
    {SYS_syncfs, Rule::kFile},
    {SYS_sync_file_range, Rule::kFile},
    {SYS_msync, Rule::kFile},
    {SYS_flock, Rule::kFile},
    {SYS_openat, Rule::kFile},
    {SYS_openat2, Rule::kFile},
    {SYS_newfstatat, Rule::kFile},
    {SYS_fstat, Rule::kFile},
    {SYS_statx, Rule::kFile},
    {SYS_statfs, Rule::kFile},
    {SYS_faccessat, Rule::kFile},
    {SYS_getdents64, Rule::kFile},
    {SYS_readlinkat, Rule::kFile},
    {SYS_unlinkat, Rule::kFile},
    {SYS_renameat2, Rule::kFile},
    {SYS_mkdirat, Rule::kFile},
    {SYS_linkat, Rule::kFile},
    {SYS_symlinkat, Rule::kFile},
    {SYS_truncate, Rule::kFile},
    {SYS_ftruncate, Rule::kFile},
    {SYS_fallocate, Rule::kFile},
    {SYS_copy_file_range, Rule::kFile},
    {SYS_readahead, Rule::kFile},
    {SYS_io_submit, Rule::kFile},
    {SYS_mount, Rule::kFile},
    {SYS_umount2, Rule::kFile},

#ifdef SYS_poll  // calls of x86_64 that have a successor
    {SYS_poll, Rule::kPoll},
    {SYS_select, Rule::kSelect},
    {SYS_epoll_wait, Rule::kPollAlways},
    {SYS_pause, Rule::kSleep},
    {SYS_vfork, Rule::kChild},
    {SYS_open, Rule::kFile},
    {SYS_creat, Rule::kFile},
    {SYS_stat, Rule::kFile},
    {SYS_lstat, Rule::kFile},
    {SYS_access, Rule::kFile},
    {SYS_readlink, Rule::kFile},
    {SYS_unlink, Rule::kFile},
    {SYS_rmdir, Rule::kFile},
    {SYS_rename, Rule::kFile},
    {SYS_mkdir, Rule::kFile},
    {SYS_getdents, Rule::kFile},
#endif
}));

WaitCause CauseOfDescriptor(DescriptorKinds::Kind kind) {
  switch (kind) {
    case DescriptorKinds::Kind::kFile:
      return WaitCause::kFile;
    case DescriptorKinds::Kind::kSocket:
      return WaitCause::kSocket;
    case DescriptorKinds::Kind::kPipe:
      return WaitCause::kPipe;
    case DescriptorKinds::Kind::kEvent:
      return WaitCause::kCondition;
    case DescriptorKinds::Kind::kTimer:
      return WaitCause::kSleep;
    case DescriptorKinds::Kind::kUnknown:
    case DescriptorKinds::Kind::kOther:
      break;
  }
  return WaitCause::kOther;
}

// A regular mutex of glibc and of Rust has this value while others wait for it. So has the lock of Go's scheduler.
constexpr uint32_t kLockedWithWaiters = 2;
// A read-write lock of glibc has this one in addition.
constexpr uint32_t kPrefersWriters = 3;
// A read-write lock of Rust that a writer holds and that readers wait for.
constexpr uint32_t kRustReadersWait = 0x7fffffff;

}  // namespace

// std::atomic::wait and glibc's join use futexes that are not private. Other values than those below are of condition
// variables, semaphores and the like. A condition variable of Rust counts its notifications. It is taken for a mutex as
// long as there were two.
FutexCall FutexCall::Of(const SystemCall& call) {
  if (call.number != SYS_futex) return {};
  const uint64_t address = call.arguments[0];
  const auto operation = static_cast<uint32_t>(call.arguments[1]);
  const auto expected = static_cast<uint32_t>(call.arguments[2]);
  const bool has_timeout = call.arguments[3] != 0;
  const bool is_private = (operation & FUTEX_PRIVATE_FLAG) != 0;
  const bool is_of_glibc = (operation & FUTEX_CLOCK_REALTIME) != 0;
  constexpr uint32_t kLockPi2 = 13;
  const bool has_owner = (expected & FUTEX_WAITERS) != 0 && (expected & FUTEX_TID_MASK) != 0 && expected != UINT32_MAX;
  switch (operation & static_cast<uint32_t>(FUTEX_CMD_MASK)) {
    case FUTEX_LOCK_PI:
    case kLockPi2:
      return {Kind::kOwnedWord, address};
    case FUTEX_WAIT:
      if (has_owner) return {Kind::kOwnedWord, address};
      if (is_private && expected == kLockedWithWaiters) return {Kind::kMutex, address};
      break;
    case FUTEX_WAIT_BITSET:
      if (!is_private) break;
      if (is_of_glibc && has_timeout && expected == kLockedWithWaiters) return {Kind::kMutex, address};
      if (has_timeout) break;
      if (is_of_glibc && (expected == kLockedWithWaiters || expected == kPrefersWriters)) {
        return {Kind::kReadWriteLock, address};
      }
      if (!is_of_glibc && (expected == kLockedWithWaiters || expected == kRustReadersWait)) {
        return {Kind::kMutex, address};
      }
      break;
    default:
      break;
  }
  return {};
}

WaitCause CauseOfWait(const SystemCall& call, const DescriptorKinds& descriptors) {
  if (call.number == SystemCall::kNone) return WaitCause::kPageFault;
  const auto* const rule =
      std::lower_bound(kRules.begin(), kRules.end(), call.number,
                       [](const CallRule& known, int64_t number) { return int64_t{known.number} < number; });
  if (rule == kRules.end() || rule->number != call.number) return WaitCause::kOther;
  const auto& arguments = call.arguments;
  switch (rule->rule) {
    case Rule::kFutex:
      return FutexCall::Of(call).kind == FutexCall::Kind::kOther ? WaitCause::kCondition : WaitCause::kLock;
    case Rule::kDescriptor:
      return CauseOfDescriptor(descriptors.KindOf(static_cast<int>(arguments[0])));
    case Rule::kPoll:
      return static_cast<uint32_t>(arguments[1]) == 0 ? WaitCause::kSleep : WaitCause::kPoll;
    case Rule::kSelect:
      return static_cast<uint32_t>(arguments[0]) == 0 ? WaitCause::kSleep : WaitCause::kPoll;
    case Rule::kPollAlways:
      return WaitCause::kPoll;
    case Rule::kSleep:
      return WaitCause::kSleep;
    case Rule::kCondition:
      return WaitCause::kCondition;
    case Rule::kFile:
      return WaitCause::kFile;
    case Rule::kSocket:
      return WaitCause::kSocket;
    case Rule::kChild:
      return WaitCause::kChild;
  }
  return WaitCause::kOther;
}

DescriptorKinds::Kind ThreadDescriptors::KindOf(int descriptor) const {
  char path[64];
  TextBuilder(path).Text("/proc/self/task/").Number(tid_.ToNumber()).Text("/fd/").Number(descriptor);
  struct stat facts;
  if (IsSyscallError(RawSyscall(SYS_newfstatat, AT_FDCWD, path, &facts, 0))) return Kind::kUnknown;
  switch (facts.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
    case S_IFCHR:
      return Kind::kFile;
    case S_IFSOCK:
      return Kind::kSocket;
    case S_IFIFO:
      return Kind::kPipe;
    default:
      break;
  }
  // The kernel's own objects have no type. Their link names them.
  char name[64];
  const long bytes = RawSyscall(SYS_readlinkat, AT_FDCWD, path, name, sizeof(name));
  const std::string_view text(name, bytes > 0 ? static_cast<size_t>(bytes) : 0);
  if (text == "anon_inode:[eventfd]") return Kind::kEvent;
  if (text == "anon_inode:[timerfd]" || text == "anon_inode:[signalfd]") return Kind::kTimer;
  return Kind::kOther;
}

}  // namespace geckoprof
