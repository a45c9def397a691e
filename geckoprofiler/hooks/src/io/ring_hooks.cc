// The functions of liburing that enter the kernel. liburing makes its system calls by itself, so no hook of libc sees
// them. The library is not linked with liburing. In a program without it, nothing calls these hooks.
//
//   program --> hook --> RingEntries: the requests that liburing is about to show to the kernel --> IoRecorder
//                   `--> liburing's function, with its time
//                   `--> RingCompletions: the results of earlier requests --> IoRecorder
//
// liburing returns -errno, and so do the hooks.
#include <errno.h>
#include <signal.h>

#include <atomic>

#include "io/io_hook.h"
#include "io/ring_call.h"
#include "io/ring_entries.h"
#include "io/ring_library.h"

struct io_uring_cqe;
struct __kernel_timespec;

extern "C" {
using geckoprof::Ring;
int io_uring_submit(Ring* ring);
int io_uring_submit_and_wait(Ring* ring, unsigned awaited);
int io_uring_submit_and_wait_timeout(Ring* ring, io_uring_cqe** out, unsigned awaited, __kernel_timespec* limit,
                                     sigset_t* signals);
int io_uring_submit_and_wait_min_timeout(Ring* ring, io_uring_cqe** out, unsigned awaited, __kernel_timespec* limit,
                                         unsigned least_us, sigset_t* signals);
int io_uring_submit_and_wait_reg(Ring* ring, io_uring_cqe** out, unsigned awaited, int wait);
int io_uring_submit_and_get_events(Ring* ring);
int io_uring_get_events(Ring* ring);
int io_uring_wait_cqes(Ring* ring, io_uring_cqe** out, unsigned awaited, __kernel_timespec* limit, sigset_t* signals);
int io_uring_wait_cqes_min_timeout(Ring* ring, io_uring_cqe** out, unsigned awaited, __kernel_timespec* limit,
                                   unsigned least_us, sigset_t* signals);
int io_uring_wait_cqe_timeout(Ring* ring, io_uring_cqe** out, __kernel_timespec* limit);
int __io_uring_get_cqe(Ring* ring, io_uring_cqe** out, unsigned submitted, unsigned awaited, sigset_t* signals);
int __io_uring_sqring_wait(Ring* ring);
int io_uring_enter(unsigned ring, unsigned submitted, unsigned awaited, unsigned flags, sigset_t* signals);
int io_uring_enter2(unsigned ring, unsigned submitted, unsigned awaited, unsigned flags, sigset_t* signals,
                    size_t bytes);
void io_uring_queue_exit(Ring* ring);

// The begin and the end of the code of this library, from the linker.
[[gnu::visibility("hidden")]] extern const char __ehdr_start;
[[gnu::visibility("hidden")]] extern const char etext;
}

namespace geckoprof {
namespace {

GECKOPROF_IO_HOOK(io_uring_submit, "io_uring_submit", kNone);
GECKOPROF_IO_HOOK(io_uring_submit_and_wait, "io_uring_submit_and_wait", kNone);
GECKOPROF_IO_HOOK(io_uring_submit_and_wait_timeout, "io_uring_submit_and_wait_timeout", kNone);
GECKOPROF_IO_HOOK(io_uring_submit_and_wait_min_timeout, "io_uring_submit_and_wait_min_timeout", kNone);
GECKOPROF_IO_HOOK(io_uring_submit_and_wait_reg, "io_uring_submit_and_wait_reg", kNone);
GECKOPROF_IO_HOOK(io_uring_submit_and_get_events, "io_uring_submit_and_get_events", kNone);
GECKOPROF_IO_HOOK(io_uring_get_events, "io_uring_get_events", kNone);
GECKOPROF_IO_HOOK(io_uring_wait_cqes, "io_uring_wait_cqes", kNone);
GECKOPROF_IO_HOOK(io_uring_wait_cqes_min_timeout, "io_uring_wait_cqes_min_timeout", kNone);
GECKOPROF_IO_HOOK(io_uring_wait_cqe_timeout, "io_uring_wait_cqe_timeout", kNone);
GECKOPROF_IO_HOOK(__io_uring_get_cqe, "io_uring_wait_cqe", kNone);
GECKOPROF_IO_HOOK(__io_uring_sqring_wait, "io_uring_sqring_wait", kNone);
GECKOPROF_IO_HOOK(io_uring_enter, "io_uring_enter", kNone);
GECKOPROF_IO_HOOK(io_uring_enter2, "io_uring_enter", kNone);
GECKOPROF_IO_HOOK(io_uring_queue_exit, "io_uring_queue_exit", kNone);

// The process has a liburing whose rings are as in Ring, or one with other rings. If it has both, no ring is looked
// into. A thread sets these before it sets a function that it found. A thread that sees neither looks into no ring.
constinit std::atomic<bool> g_has_known_rings{false}, g_has_other_rings{false};

bool AreRingsKnown() {
  return g_has_known_rings.load(std::memory_order_relaxed) && !g_has_other_rings.load(std::memory_order_relaxed);
}

template <typename... Signatures>
void FindIn(void* library, IoHook<Signatures>&... hooks) {
  const auto find = [&](auto& next) {
    if (next.known() == nullptr) next.Set(reinterpret_cast<decltype(next.hook())>(dlsym(library, next.name())));
  };
  (find(hooks.next), ...);
}

// All functions are looked up together, because liburing calls some of them from others, through the hooks.
template <typename Signature>
[[gnu::noinline, gnu::cold]] Signature* FindNext(NextFunction<Signature>& next, const void* caller) {
  const RingFunction found = FindRingFunction(next.name(), reinterpret_cast<const void*>(next.hook()), caller);
  if (found.library != nullptr) {
    (found.has_rings ? g_has_known_rings : g_has_other_rings).store(true);
    FindIn(found.library, g_io_uring_submit, g_io_uring_submit_and_wait, g_io_uring_submit_and_wait_timeout,
           g_io_uring_submit_and_wait_min_timeout, g_io_uring_submit_and_wait_reg, g_io_uring_submit_and_get_events,
           g_io_uring_get_events, g_io_uring_wait_cqes, g_io_uring_wait_cqes_min_timeout, g_io_uring_wait_cqe_timeout,
           g___io_uring_get_cqe, g___io_uring_sqring_wait, g_io_uring_enter, g_io_uring_enter2, g_io_uring_queue_exit);
  }
  return reinterpret_cast<Signature*>(found.address);
}

// liburing's functions end with a jump to another one that is a hook too. The outer hook counts the call.
bool IsInsideRingHook(const void* caller) { return caller >= &__ehdr_start && caller < &etext; }

enum class RingCall : uint8_t { kSubmit, kSubmitAndWait, kWait };

// The hooks jump here, and from here to the real function where that must find the program as its caller.
template <RingCall kCall, auto& kHook, typename... Arguments>
[[gnu::noinline]] int RecordRingCall(Ring* ring, Arguments... arguments) {
  const void* const caller = __builtin_return_address(0);
  auto* next = kHook.next.known();
  if (next == nullptr) {
    next = FindNext(kHook.next, caller);
    if (next == nullptr) return -ENOSYS;
    // A copy of liburing in a plugin may call the hooks too, and is looked up by its caller.
    if (kHook.next.known() == nullptr) return next(ring, arguments...);
  }
  if (HookFeatures(IoRecorder::kFeatures) == 0 || IsInsideRingHook(caller)) return next(ring, arguments...);
  if (!AreRingsKnown() || ring == nullptr) {
    const geckoprof_time start = geckoprof_base_time();
    const int result = next(ring, arguments...);
    NoteRingCall(kHook.function, -1, start);
    return result;
  }
  const int descriptor = ring->descriptor;
  ChangedDescriptors changed;
  if constexpr (kCall != RingCall::kWait) g_io_recorder.NoteSubmission(*ring, changed);
  const geckoprof_time start = geckoprof_base_time();
  const int result = next(ring, arguments...);
  for (const int fd : changed) g_io_recorder.Forget(fd);
  // A caller that waits needs the ring afterwards. After a mere submission, another thread may have ended it.
  if constexpr (kCall != RingCall::kSubmit) g_io_recorder.NoteCompletions(*ring);
  NoteRingCall(kHook.function, descriptor, start);
  return result;
}

template <RingCall kCall, auto& kHook, typename... Arguments>
[[gnu::always_inline]] inline int CallRing(Ring* ring, Arguments... arguments) {
  auto* const next = kHook.next.known();
  if (next == nullptr || HookFeatures(IoRecorder::kFeatures) != 0) [[unlikely]]
    return RecordRingCall<kCall, kHook>(ring, arguments...);
  return next(ring, arguments...);
}

// The caller names the ring by its number alone, so its requests are not known.
template <auto& kHook, typename... Arguments>
[[gnu::noinline]] int RecordEnter(unsigned ring, unsigned submitted, unsigned awaited, unsigned flags,
                                  Arguments... arguments) {
  auto* next = kHook.next.known();
  if (next == nullptr) {
    next = FindNext(kHook.next, __builtin_return_address(0));
    if (next == nullptr) return -ENOSYS;
  }
  if (HookFeatures(IoRecorder::kFeatures) == 0 || kHook.next.known() == nullptr)
    return next(ring, submitted, awaited, flags, arguments...);
  const geckoprof_time start = geckoprof_base_time();
  const int result = next(ring, submitted, awaited, flags, arguments...);
  NoteRingCall(kHook.function, RingDescriptor(ring, flags), start);
  return result;
}

template <auto& kHook, typename... Arguments>
[[gnu::always_inline]] inline int CallEnter(unsigned ring, unsigned submitted, unsigned awaited, unsigned flags,
                                            Arguments... arguments) {
  auto* const next = kHook.next.known();
  if (next == nullptr || HookFeatures(IoRecorder::kFeatures) != 0) [[unlikely]]
    return RecordEnter<kHook>(ring, submitted, awaited, flags, arguments...);
  return next(ring, submitted, awaited, flags, arguments...);
}

}  // namespace
}  // namespace geckoprof

using namespace geckoprof;

GECKOPROF_HOOK int io_uring_submit(Ring* ring) { return CallRing<RingCall::kSubmit, g_io_uring_submit>(ring); }
GECKOPROF_HOOK int io_uring_submit_and_wait(Ring* ring, unsigned awaited) {
  return CallRing<RingCall::kSubmitAndWait, g_io_uring_submit_and_wait>(ring, awaited);
}
GECKOPROF_HOOK int io_uring_submit_and_wait_timeout(Ring* ring, io_uring_cqe** out, unsigned awaited,
                                                    __kernel_timespec* limit, sigset_t* signals) {
  return CallRing<RingCall::kSubmitAndWait, g_io_uring_submit_and_wait_timeout>(ring, out, awaited, limit, signals);
}
GECKOPROF_HOOK int io_uring_submit_and_wait_min_timeout(Ring* ring, io_uring_cqe** out, unsigned awaited,
                                                        __kernel_timespec* limit, unsigned least_us,
                                                        sigset_t* signals) {
  return CallRing<RingCall::kSubmitAndWait, g_io_uring_submit_and_wait_min_timeout>(ring, out, awaited, limit, least_us,
                                                                                    signals);
}
GECKOPROF_HOOK int io_uring_submit_and_wait_reg(Ring* ring, io_uring_cqe** out, unsigned awaited, int wait) {
  return CallRing<RingCall::kSubmitAndWait, g_io_uring_submit_and_wait_reg>(ring, out, awaited, wait);
}
GECKOPROF_HOOK int io_uring_submit_and_get_events(Ring* ring) {
  return CallRing<RingCall::kSubmit, g_io_uring_submit_and_get_events>(ring);
}

GECKOPROF_HOOK int io_uring_get_events(Ring* ring) { return CallRing<RingCall::kWait, g_io_uring_get_events>(ring); }
GECKOPROF_HOOK int io_uring_wait_cqes(Ring* ring, io_uring_cqe** out, unsigned awaited, __kernel_timespec* limit,
                                      sigset_t* signals) {
  return CallRing<RingCall::kWait, g_io_uring_wait_cqes>(ring, out, awaited, limit, signals);
}
GECKOPROF_HOOK int io_uring_wait_cqes_min_timeout(Ring* ring, io_uring_cqe** out, unsigned awaited,
                                                  __kernel_timespec* limit, unsigned least_us, sigset_t* signals) {
  return CallRing<RingCall::kWait, g_io_uring_wait_cqes_min_timeout>(ring, out, awaited, limit, least_us, signals);
}
GECKOPROF_HOOK int io_uring_wait_cqe_timeout(Ring* ring, io_uring_cqe** out, __kernel_timespec* limit) {
  return CallRing<RingCall::kWait, g_io_uring_wait_cqe_timeout>(ring, out, limit);
}
GECKOPROF_HOOK int __io_uring_get_cqe(Ring* ring, io_uring_cqe** out, unsigned submitted, unsigned awaited,
                                      sigset_t* signals) {
  return CallRing<RingCall::kWait, g___io_uring_get_cqe>(ring, out, submitted, awaited, signals);
}
GECKOPROF_HOOK int __io_uring_sqring_wait(Ring* ring) {
  return CallRing<RingCall::kWait, g___io_uring_sqring_wait>(ring);
}

GECKOPROF_HOOK int io_uring_enter(unsigned ring, unsigned submitted, unsigned awaited, unsigned flags,
                                  sigset_t* signals) {
  return CallEnter<g_io_uring_enter>(ring, submitted, awaited, flags, signals);
}
GECKOPROF_HOOK int io_uring_enter2(unsigned ring, unsigned submitted, unsigned awaited, unsigned flags,
                                   sigset_t* signals, size_t bytes) {
  return CallEnter<g_io_uring_enter2>(ring, submitted, awaited, flags, signals, bytes);
}

// Closes the ring's descriptor.
GECKOPROF_HOOK void io_uring_queue_exit(Ring* ring) {
  auto* next = g_io_uring_queue_exit.next.known();
  if (next == nullptr) next = FindNext(g_io_uring_queue_exit.next, __builtin_return_address(0));
  if (next == nullptr) return;
  const int descriptor = AreRingsKnown() ? ring->descriptor : -1;
  if (descriptor >= 0) g_io_recorder.ForgetRing(*ring);
  next(ring);
  g_io_recorder.Forget(descriptor);
}
