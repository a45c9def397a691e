// Calls that demand a process with one thread, or that change the identity or the rights of all its threads. The
// sampler steps aside around them.
//
// The kernel changes ids and namespaces of the calling thread only. libc makes its own threads follow, but it does not
// know the sampler thread. The thread that made the call starts the sampler again, so the sampler has the new ids too.
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <string_view>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/detail/category_pairs.h"
#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "hooks/hook_calls.h"
#include "labels/stale_labels.h"
#include "libc/real_functions.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_control.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080  // glibc 2.36
#endif

namespace geckoprof {
namespace {

bool MustSuspendSampler() {
  RecordingState& state = RecordingState::Get();
  const bool has_helper = state.control().helper.load(std::memory_order_relaxed) != 0;  // it may start a recording
  return (state.IsActive() || has_helper) && state.IsThisProcess();
}

uid_t EffectiveUser() { return static_cast<uid_t>(RawSyscall(SYS_geteuid)); }

// Notes that the process, and the programs that it starts, cannot reach the session directory any more.
void NoteSeparation(Separation separation) {
  const Segment* const segment = RecordingState::Get().SegmentOfRecording();
  if (segment != nullptr) segment->header().separations.fetch_or(separation, std::memory_order_relaxed);
}

// Notes the namespaces that keep a child from the session directory.
void NoteNamespaces(long flags) {
  if ((flags & CLONE_NEWNS) != 0) NoteSeparation(kChangedMounts);
  if ((flags & CLONE_NEWPID) != 0) NoteSeparation(kChangedPids);
}

// Calls the real function without the sampler. A new user namespace shows the same user under another number.
enum class Ids : bool { kUnchanged, kRenumbered };
template <Ids kIds = Ids::kUnchanged, typename Function, typename... Args>
int CallWithoutSamplerFor(long namespaces, RealFunction<Function>& real, Args... args) {
  Function* const function = real.get();  // before the sampler's lock, because the lookup may take the loader's lock
  if (!MustSuspendSampler()) return function(args...);
  ProfilerCore& core = ProfilerCore::Get();
  const int error_before = errno;
  const uid_t user = EffectiveUser();
  const bool was_running = core.SuspendSampler();
  core.OpenBeforeSeparation(was_running);
  errno = error_before;
  const int result = function(args...);
  const int error = errno;
  if (kIds == Ids::kUnchanged && EffectiveUser() != user) NoteSeparation(kChangedUser);
  if (result == 0) NoteNamespaces(namespaces);
  core.ResumeSampler(was_running);
  errno = error;
  return result;
}

template <typename Function, typename... Args>
int CallWithoutSampler(RealFunction<Function>& real, Args... args) {
  return CallWithoutSamplerFor(0, real, args...);
}

// Returns true if the call leaves the threads of this process as they are. A new pid namespace alone is for children,
// and the call does not demand a single thread. A sampler that stepped aside could not come back. The kernel makes no
// thread in a process that forks into another pid namespace. The running sampler therefore stays.
constexpr long kOfOneThreadToUnshare = CLONE_NEWUSER | CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
constexpr long kOfOneThreadToEnter = CLONE_NEWUSER | CLONE_NEWTIME;
bool IsForChildrenOnly(long namespaces, long of_one_thread) {
  return (namespaces & CLONE_NEWPID) != 0 && (namespaces & of_one_thread) == 0;
}

// Returns the namespaces that setns(2) is to enter. `type` 0 means the namespace of the descriptor.
long EnteredNamespaces(int fd, long type) {
  if (type != 0) return type;
  const long kind = RawSyscall(SYS_ioctl, fd, NS_GET_NSTYPE);
  return IsSyscallError(kind) ? 0 : kind;
}

// Returns the reason why children of the calling thread cannot reach the session directory after this raw call.
std::optional<Separation> SeparationBy(long number) {
  if (number == SYS_chroot) return kChangedRoot;
  if (number == SYS_landlock_restrict_self) return kRestrictedFiles;
  return std::nullopt;
}

// Called before a call that separates the calling thread and its children from the session directory. The sampler is
// not affected if it has begun.
void OpenSegmentInPlace() {
  ProfilerCore& core = ProfilerCore::Get();
  RecordingState& state = RecordingState::Get();
  // If the program makes the call at once, the first tick may not have come yet.
  if (MonotonicNs() - state.constructor_ns() > 100 * kNsPerMs) return;
  const bool was_running = core.SuspendSampler();
  core.OpenBeforeSeparation(was_running);
  core.ResumeSampler(was_running);
  (void)core.RunOnSamplerThread([](void*) {}, nullptr, 100 * kNsPerMs);
}

// Makes a call for which the sampler does not step aside. The sampler first opens all files that it needs.
template <typename Call, typename Note>
long CallInPlace(const Call& call, const Note& note) {
  const int error_before = errno;
  OpenSegmentInPlace();
  errno = error_before;
  const long result = call();
  if (result == 0) note();
  return result;
}

// SuspendedOwner: while it lives, the owner of the recording has no thread of its own either.
class SuspendedOwner {
 public:
  explicit SuspendedOwner(bool wanted = true) : wanted_(wanted) { Notify(true); }
  ~SuspendedOwner() { Notify(false); }
  SuspendedOwner(const SuspendedOwner&) = delete;
  SuspendedOwner& operator=(const SuspendedOwner&) = delete;

 private:
  void Notify(bool begins) const {
    if (!wanted_) return;
    const int error = errno;
    RecordingState::Get().owner_link().NotifySuspension(begins);
    errno = error;
  }
  const bool wanted_;
};

// Returns the reason why the sampler must leave for good before this call, or kNotStopped. A seccomp filter may forbid
// its system calls, and strict mode forbids all. If system calls are dispatched to the program, the return from base's
// handler is dispatched too. If the cycle counter is not readable, the handler cannot read it.
// A filter without a program is refused by the kernel. Libraries test in this way which filters the kernel knows, and
// writing a profile before each test would take long.
StopReason FindStopReason(int option, unsigned long mode, unsigned long program) {
  const bool is_filter = mode == SECCOMP_MODE_FILTER && program != 0;
  if (option == PR_SET_SECCOMP && (mode == SECCOMP_MODE_STRICT || is_filter)) return StopReason::kSeccomp;
  if (option == PR_SET_SYSCALL_USER_DISPATCH && mode != PR_SYS_DISPATCH_OFF) return StopReason::kUserDispatch;
  if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV) return StopReason::kNoCycleCounter;
  return StopReason::kNotStopped;
}

// Returns true if the option changes the calling thread's rights. The sampler thread must not keep more rights.
bool ChangesRights(int option) {
  switch (option) {
    case PR_CAPBSET_DROP:
    case PR_CAP_AMBIENT:
    case PR_SET_SECUREBITS:
    case PR_SET_NO_NEW_PRIVS:
      return true;
    default:
      return false;
  }
}

// Returns true for raw system calls that demand a single thread or change ids.
bool IsSingleThreadCall(long number) {
  switch (number) {
    case SYS_unshare:
    case SYS_setns:
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setfsuid:
    case SYS_setfsgid:
    case SYS_setgroups:
    case SYS_capset:
      return true;
    default:
      return false;
  }
}

}  // namespace

// The program's syscall(2) for the numbers that base must handle. Other numbers never come here.
extern "C" __attribute__((visibility("hidden"))) long geckoprof_syscall_aside(long number, long a, long b, long c,
                                                                              long d, long e, long f) {
  if (number == SYS_ptrace) return TraceBySyscall(a, b, c, d);
  ProfilerCore& core = ProfilerCore::Get();
  RecordingState& state = RecordingState::Get();
  const SuspendedOwner suspended_owner(number == SYS_unshare || number == SYS_setns);
  const auto call = [=] { return RawSyscall(number, a, b, c, d, e, f); };
  const bool installs_filter =
      number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c != 0));
  const StopReason reason = installs_filter       ? StopReason::kSeccomp
                            : number == SYS_prctl ? FindStopReason(static_cast<int>(a), static_cast<unsigned long>(b),
                                                                   static_cast<unsigned long>(c))
                                                  : StopReason::kNotStopped;
  if (reason != StopReason::kNotStopped && state.IsThisProcess()) {
    const ProfilerCore::LastCall last_call = core.BeginLastCall(reason);
    const long result = call();
    core.EndLastCall(last_call, result >= 0);
    return result;
  }
  if (!MustSuspendSampler()) return call();
  if (number == SYS_exit) state.control().NoteThreadExit(CurrentThread(), static_cast<int>(a));
  const bool changes_rights = number == SYS_prctl && ChangesRights(static_cast<int>(a));
  if (const auto separation = SeparationBy(number)) {
    return CallInPlace(call, [=] { NoteSeparation(*separation); });
  }
  if (!IsSingleThreadCall(number) && !changes_rights) {
    const long result = call();
    if (number == SYS_prctl && result == 0) NoteThreadName(static_cast<int>(a), static_cast<unsigned long>(b));
    return result;
  }
  // The namespaces decide if the sampler has to step aside.
  const long namespaces = number == SYS_unshare ? a
                          : number == SYS_setns ? EnteredNamespaces(static_cast<int>(a), b)
                                                : 0;
  if (IsForChildrenOnly(namespaces, number == SYS_setns ? kOfOneThreadToEnter : kOfOneThreadToUnshare)) {
    return CallInPlace(call, [=] { NoteNamespaces(namespaces); });
  }
  const uid_t user = EffectiveUser();
  const bool was_running = core.SuspendSampler();
  core.OpenBeforeSeparation(was_running);
  const long result = call();
  if (number != SYS_unshare && EffectiveUser() != user) NoteSeparation(kChangedUser);
  if (result == 0) NoteNamespaces(namespaces);
  core.ResumeSampler(was_running);
  return result;
}

// Called before the program's syscall(2) makes a child with mounts or process ids of its own. The note comes before the
// call, because a child with vfork's flags has ended or called exec when the call returns.
extern "C" __attribute__((visibility("hidden"))) void geckoprof_syscall_clones(unsigned long flags) {
  if (MustSuspendSampler()) NoteNamespaces(static_cast<long>(flags));
}

#define GECKOPROF_ASIDE(name, parameters, ...)            \
  namespace {                                             \
  constinit RealFunction<int parameters> g_##name(#name); \
  }                                                       \
  GECKOPROF_EXPORT int name parameters { return CallWithoutSampler(g_##name, __VA_ARGS__); }

GECKOPROF_ASIDE(setuid, (uid_t id), id)
GECKOPROF_ASIDE(setgid, (gid_t id), id)
GECKOPROF_ASIDE(seteuid, (uid_t id), id)
GECKOPROF_ASIDE(setegid, (gid_t id), id)
GECKOPROF_ASIDE(setreuid, (uid_t real, uid_t effective), real, effective)
GECKOPROF_ASIDE(setregid, (gid_t real, gid_t effective), real, effective)
GECKOPROF_ASIDE(setresuid, (uid_t real, uid_t effective, uid_t saved), real, effective, saved)
GECKOPROF_ASIDE(setresgid, (gid_t real, gid_t effective, gid_t saved), real, effective, saved)
GECKOPROF_ASIDE(setgroups, (size_t count, const gid_t* groups), count, groups)
GECKOPROF_ASIDE(capset, (void* header, const void* data), header, data)  // libc exports it without a header

namespace {
constinit RealFunction<int(const char*, gid_t)> g_initgroups("initgroups");
constinit RealFunction<int(int)> g_unshare("unshare");
constinit RealFunction<int(int, int)> g_setns("setns");
constinit RealFunction<int(const char*)> g_chroot("chroot");
using PrctlFunction = int(int, unsigned long, unsigned long, unsigned long, unsigned long);
constinit RealFunction<PrctlFunction> g_prctl("prctl");
using CloseFunction = int(void*);
constinit RealFunction<CloseFunction> g_dlclose("dlclose");
}  // namespace

// As libc's function. The groups are looked up before the sampler steps aside. The lookup may load libraries and take
// long, and a thread that forks meanwhile would wait.
GECKOPROF_EXPORT int initgroups(const char* user, gid_t group) {
  if (!MustSuspendSampler()) return g_initgroups.get()(user, group);
  int count = NGROUPS_MAX;
  const size_t bytes = NGROUPS_MAX * sizeof(gid_t);
  const long memory = RawSyscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IsSyscallError(memory)) return CallWithoutSampler(g_initgroups, user, group);
  auto* const groups = reinterpret_cast<gid_t*>(memory);
  getgrouplist(user, group, groups, &count);
  int result = 0;
  do {  // the kernel may accept fewer groups
    result = CallWithoutSampler(g_setgroups, static_cast<size_t>(count), static_cast<const gid_t*>(groups));
  } while (result != 0 && errno == EINVAL && --count > 0);
  RawSyscall(SYS_munmap, memory, bytes);
  return result;
}

GECKOPROF_EXPORT int setns(int fd, int type) {
  const SuspendedOwner suspended_owner;
  const long entered = MustSuspendSampler() ? EnteredNamespaces(fd, type) : 0;
  if (!IsForChildrenOnly(entered, kOfOneThreadToEnter)) return CallWithoutSamplerFor(entered, g_setns, fd, type);
  return static_cast<int>(CallInPlace([=] { return g_setns.get()(fd, type); }, [=] { NoteNamespaces(entered); }));
}

GECKOPROF_EXPORT int unshare(int flags) {
  const SuspendedOwner suspended_owner;
  if (!IsForChildrenOnly(flags, kOfOneThreadToUnshare) || !MustSuspendSampler()) {
    return CallWithoutSamplerFor<Ids::kRenumbered>(flags, g_unshare, flags);
  }
  return static_cast<int>(CallInPlace([flags] { return g_unshare.get()(flags); }, [flags] { NoteNamespaces(flags); }));
}

GECKOPROF_EXPORT int chroot(const char* path) noexcept {
  auto* const function = g_chroot.get();
  if (!MustSuspendSampler()) return function(path);
  return static_cast<int>(CallInPlace([=] { return function(path); }, [] { NoteSeparation(kChangedRoot); }));
}

GECKOPROF_EXPORT int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  unsigned long a[4];
  for (unsigned long& argument : a) argument = va_arg(list, unsigned long);
  va_end(list);
  const StopReason reason = FindStopReason(option, a[0], a[1]);
  ProfilerCore& core = ProfilerCore::Get();
  RecordingState& state = RecordingState::Get();
  if (reason != StopReason::kNotStopped && state.IsThisProcess()) {
    auto* const function = g_prctl.get();
    const ProfilerCore::LastCall call = core.BeginLastCall(reason);
    const int result = function(option, a[0], a[1], a[2], a[3]);
    const int error = errno;
    core.EndLastCall(call, result >= 0);
    errno = error;
    return result;
  }
  if (ChangesRights(option)) return CallWithoutSampler(g_prctl, option, a[0], a[1], a[2], a[3]);
  const int result = g_prctl.get()(option, a[0], a[1], a[2], a[3]);
  if (result == 0) NoteThreadName(option, a[0]);
  return result;
}

// --- The number of threads. A sandbox may check it before it locks itself in, and it must not count the sampler. ---

static_assert(sizeof(struct stat) == sizeof(struct stat64));

namespace {

using StatAtFunction = int(int, const char*, struct stat*, int);
constinit RealFunction<StatAtFunction> g_fstatat("fstatat"), g_fstatat64("fstatat64");

// The link count of the task folder is the number of threads plus two.
bool IsTaskFolder(const char* path) {
  size_t bytes = strlen(path);
  while (bytes > 0 && path[bytes - 1] == '/') --bytes;
  constexpr char kEnd[] = "self/task";
  constexpr size_t kEndBytes = sizeof(kEnd) - 1;
  return bytes >= kEndBytes && memcmp(path + bytes - kEndBytes, kEnd, kEndBytes) == 0;
}

// Makes the call twice. The first call shows that `path` is readable. The second one runs without the sampler.
int StatAt(RealFunction<StatAtFunction>& real, int folder, const char* path, struct stat* out, int flags) {
  const int result = real.get()(folder, path, out, flags);
  if (result != 0 || !S_ISDIR(out->st_mode) || path == nullptr || !IsTaskFolder(path)) return result;
  const SuspendedOwner suspended_owner;
  return CallWithoutSampler(real, folder, path, out, flags);
}

}  // namespace

GECKOPROF_EXPORT int fstatat(int folder, const char* path, struct stat* out, int flags) noexcept {
  return StatAt(g_fstatat, folder, path, out, flags);
}
GECKOPROF_EXPORT int fstatat64(int folder, const char* path, struct stat64* out, int flags) noexcept {
  return StatAt(g_fstatat64, folder, path, reinterpret_cast<struct stat*>(out), flags);
}

namespace {

using OpenFunction = FILE*(const char*, const char*);
using NumberFunction = int(FILE*);
constinit RealFunction<OpenFunction> g_fopen("fopen"), g_fopen64("fopen64");
constinit RealFunction<NumberFunction> g_fileno("fileno"), g_fileno_unlocked("fileno_unlocked");
constinit std::atomic<FILE*> g_read_ahead{nullptr};  // the last stream of which OpenStream has read the beginning

// Returns true for the files of /proc that show how many threads this process has. Python looks at /proc/self/stat when
// it has forked.
bool ShowsThreadCount(std::string_view path) {
  constexpr std::string_view kProc = "/proc/", kSelf = "self";
  if (!path.starts_with(kProc)) return false;
  path.remove_prefix(kProc.size());
  int64_t number = 0;
  for (; !path.empty() && path[0] >= '0' && path[0] <= '9'; path.remove_prefix(1)) number = number * 10 + path[0] - '0';
  const bool is_self = path.starts_with(kSelf);
  if (is_self) path.remove_prefix(kSelf.size());
  return (is_self || number == RecordingState::Get().pid().ToNumber()) && (path == "/stat" || path == "/status");
}

// The kernel makes the text of such a file when it is first read, and the stream has room for it. The first read is
// therefore made here, without the sampler.
FILE* OpenStream(RealFunction<OpenFunction>& real, const char* path, const char* mode) {
  FILE* const stream = real.get()(path, mode);
  FILE* reused = stream;
  g_read_ahead.compare_exchange_strong(reused, nullptr, std::memory_order_relaxed);
  if (stream == nullptr || mode[0] != 'r' || !ShowsThreadCount(path) || !MustSuspendSampler()) return stream;
  const SuspendedOwner suspended_owner;
  ProfilerCore& core = ProfilerCore::Get();
  const int error_before = errno;
  const bool was_running = core.SuspendSampler();
  const int first = getc(stream);
  core.ResumeSampler(was_running);
  errno = error_before;
  if (first != EOF) ungetc(first, stream);
  g_read_ahead.store(stream, std::memory_order_relaxed);
  return stream;
}

// A caller that reads the descriptor itself, as std::ifstream does, must find it at the beginning. fflush gives the
// stream's buffer back to the file.
int NumberOfStream(RealFunction<NumberFunction>& real, FILE* stream) {
  FILE* expected = stream;
  if (stream != nullptr && g_read_ahead.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed)) {
    const int error_before = errno;
    fflush(stream);
    errno = error_before;
  }
  return real.get()(stream);
}

}  // namespace

GECKOPROF_EXPORT FILE* fopen(const char* path, const char* mode) { return OpenStream(g_fopen, path, mode); }
GECKOPROF_EXPORT FILE* fopen64(const char* path, const char* mode) { return OpenStream(g_fopen64, path, mode); }
GECKOPROF_EXPORT int fileno(FILE* stream) noexcept { return NumberOfStream(g_fileno, stream); }
GECKOPROF_EXPORT int fileno_unlocked(FILE* stream) noexcept { return NumberOfStream(g_fileno_unlocked, stream); }

// The library's addresses may soon mean something else. The unload is noted before the call, for code that reads the
// list of modules meanwhile. It is noted again after the call, for code that read the list in between.
GECKOPROF_EXPORT int dlclose(void* handle) {
  // A label that a longjmp left open may have a text in the library. Deeper calls would make it readable again.
  if (ThreadSlot* const own = ThreadSlots::Known()) DropStaleLabels(own->labels, CallerStackPointer());
  RecordingState& state = RecordingState::Get();
  // Stacks of markers may go through the library, and the sampler may not have seen them yet.
  if (state.RecordingSegment() != nullptr && PendingMarkerStacks::Get().AnyPublished()) {
    void* const label = geckoprof_base_label_enter("dlclose waits for stacks of markers", nullptr,
                                                   GECKOPROF_CATEGORY_PROFILER, __builtin_frame_address(0));
    PendingMarkerStacks::Get().WaitUntilWritten(PendingMarkerStacks::kUnloadWaitNs);
    geckoprof_base_label_leave(label);
  }
  state.control().NoteUnload();
  ThreadSlot* const slot = state.IsThisProcess() ? ThreadSlots::Known() : nullptr;  // not the slot of a vfork's parent
  if (slot != nullptr) ++slot->unloading;
  const int result = g_dlclose.get()(handle);
  if (slot != nullptr) --slot->unloading;
  state.control().NoteUnload();
  return result;
}

}  // namespace geckoprof
