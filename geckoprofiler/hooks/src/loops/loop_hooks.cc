// Hooks of the functions in which event loops wait. libuv, GLib, libevent, libev, asyncio and Qt call them through the
// loader. They are points of cancellation. A cancelled wait leaves the hook by unwinding.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/config/start_features.h"
#include "loops/loop_recorder.h"
#include "loops/loop_watch.h"
#include "runtime/hook_features.h"
#include "runtime/next_function.h"

extern "C" {
// libc has them for programs that were compiled with _FORTIFY_SOURCE. Its headers rename poll to them.
int __poll_chk(pollfd* polled, nfds_t count, int timeout_ms, size_t bytes);
int __ppoll_chk(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t bytes);
}

namespace geckoprof {
namespace {

// Constant-initialised and without a destructor, so access is one instruction.
constinit thread_local LoopWatch t_watch __attribute__((tls_model("initial-exec")));

// No address is as small as a descriptor, and none has the highest bit.
uint64_t PlaceOf(int epoll) { return uint64_t{1} << 63 | static_cast<uint32_t>(epoll); }
uint64_t PlaceOf(const void* caller) { return reinterpret_cast<uintptr_t>(caller); }

// Returns whether a wait for one descriptor may be a loop. GLib waits for its eventfd alone if a program has no other.
// A wait for one socket is a part of a read or write that may block.
bool MayBeLoop(int descriptor) {
  struct stat facts = {};
  return !IsSyscallError(RawSyscall(SYS_fstat, descriptor, &facts)) && !S_ISSOCK(facts.st_mode);
}

template <typename Accepts, typename Next, typename... Arguments>
[[gnu::always_inline]] inline int Wait(uint64_t place, const Accepts& accepts, Next& next, Arguments... arguments) {
  LoopWatch& watch = t_watch;
  auto* const real = next.get();
  if (real == nullptr) [[unlikely]] {
    errno = ENOSYS;
    return -1;
  }
  if (HookFeatures(kFeatureResponsiveness) == 0) [[likely]] {
    watch.Pause();
    return real(arguments...);
  }
  const geckoprof_time begin = watch.Enter(place, accepts);
  if (begin != 0) g_loop_recorder.Record(begin, geckoprof_base_time());
  const int result = real(arguments...);
  watch.Leave(place, geckoprof_base_time());
  return result;
}

constinit NextFunction g_next_epoll_wait{"epoll_wait", &epoll_wait};
constinit NextFunction g_next_epoll_pwait{"epoll_pwait", &epoll_pwait};
constinit NextFunction g_next_epoll_pwait2{"epoll_pwait2", &epoll_pwait2};
constinit NextFunction g_next_epoll_create{"epoll_create", &epoll_create};
constinit NextFunction g_next_epoll_create1{"epoll_create1", &epoll_create1};
constinit NextFunction g_next_poll{"poll", &poll};
constinit NextFunction g_next_ppoll{"ppoll", &ppoll};
constinit NextFunction g_next_poll_chk{"__poll_chk", &__poll_chk};
constinit NextFunction g_next_ppoll_chk{"__ppoll_chk", &__ppoll_chk};
constinit NextFunction g_next_select{"select", &select};
constinit NextFunction g_next_pselect{"pselect", &pselect};

// A loop waits for descriptors. A wait for none is a sleep.
auto AcceptsPolled(const pollfd* polled, nfds_t count) {
  asm("" : "+r"(polled));  // libc's header says that poll only writes there, and gcc warns of a read
  return [=] { return count > 1 || (count == 1 && MayBeLoop(polled->fd)); };
}
auto AcceptsSet(int count) {
  return [=] { return count > 0; };
}
bool AcceptsEpoll() { return true; }

// The new descriptor may have the number of a loop's that is closed.
int NoteNew(int epoll) {
  t_watch.Forget(PlaceOf(epoll));
  return epoll;
}

}  // namespace

void FindNextLoopFunctions() {
  FindAll(g_next_epoll_wait, g_next_epoll_pwait, g_next_epoll_pwait2, g_next_epoll_create, g_next_epoll_create1,
          g_next_poll, g_next_ppoll, g_next_poll_chk, g_next_ppoll_chk, g_next_select, g_next_pselect);
}

}  // namespace geckoprof

using namespace geckoprof;  // NOLINT: for the hooks below

#define GECKOPROF_CALLER PlaceOf(__builtin_return_address(0))

GECKOPROF_HOOK int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
  return Wait(PlaceOf(epoll), AcceptsEpoll, g_next_epoll_wait, epoll, events, most, timeout_ms);
}
GECKOPROF_HOOK int epoll_pwait(int epoll, epoll_event* events, int most, int timeout_ms, const sigset_t* mask) {
  return Wait(PlaceOf(epoll), AcceptsEpoll, g_next_epoll_pwait, epoll, events, most, timeout_ms, mask);
}
GECKOPROF_HOOK int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* timeout,
                                const sigset_t* mask) {
  return Wait(PlaceOf(epoll), AcceptsEpoll, g_next_epoll_pwait2, epoll, events, most, timeout, mask);
}
GECKOPROF_HOOK int epoll_create(int size) noexcept { return NoteNew(g_next_epoll_create.get()(size)); }
GECKOPROF_HOOK int epoll_create1(int flags) noexcept { return NoteNew(g_next_epoll_create1.get()(flags)); }

GECKOPROF_HOOK int poll(pollfd* polled, nfds_t count, int timeout_ms) {
  return Wait(GECKOPROF_CALLER, AcceptsPolled(polled, count), g_next_poll, polled, count, timeout_ms);
}
GECKOPROF_HOOK int ppoll(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return Wait(GECKOPROF_CALLER, AcceptsPolled(polled, count), g_next_ppoll, polled, count, timeout, mask);
}
GECKOPROF_HOOK int __poll_chk(pollfd* polled, nfds_t count, int timeout_ms, size_t bytes) {
  return Wait(GECKOPROF_CALLER, AcceptsPolled(polled, count), g_next_poll_chk, polled, count, timeout_ms, bytes);
}
GECKOPROF_HOOK int __ppoll_chk(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask,
                               size_t bytes) {
  return Wait(GECKOPROF_CALLER, AcceptsPolled(polled, count), g_next_ppoll_chk, polled, count, timeout, mask, bytes);
}
GECKOPROF_HOOK int select(int count, fd_set* read, fd_set* write, fd_set* other, timeval* timeout) {
  return Wait(GECKOPROF_CALLER, AcceptsSet(count), g_next_select, count, read, write, other, timeout);
}
GECKOPROF_HOOK int pselect(int count, fd_set* read, fd_set* write, fd_set* other, const timespec* timeout,
                           const sigset_t* mask) {
  return Wait(GECKOPROF_CALLER, AcceptsSet(count), g_next_pselect, count, read, write, other, timeout, mask);
}

// For programs with loops of their own, see geckoprofiler/c/geckoprof_loops.h.
GECKOPROF_HOOK void geckoprof_hooks_loop_begin() {
  if (HookFeatures(kFeatureResponsiveness) != 0) t_watch.Begin(geckoprof_base_time());
}
GECKOPROF_HOOK void geckoprof_hooks_loop_end() {
  const geckoprof_time begin = t_watch.End();
  if (begin != 0 && HookFeatures(kFeatureResponsiveness) != 0) g_loop_recorder.Record(begin, geckoprof_base_time());
}
