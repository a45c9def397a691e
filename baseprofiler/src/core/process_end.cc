#include "core/process_end.h"

#include <limits.h>

#include <algorithm>
#include <atomic>

#include "core/profiler_core.h"
#include "counters/counter_table.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "libc/real_functions.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_control.h"
#include "process/process_title.h"

// libc identifies the library of a handler by this address. Each library has its own.
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;  // NOLINT

namespace geckoprof {

bool HasPendingAtExit(int64_t interval_ns) {
  constexpr int64_t kLongIntervalNs = 50 * kNsPerMs;  // the time since the clocks were last read together
  return !CounterTable::Get().IsEmpty() || PendingMarkerStacks::Get().AnyPublished() ||
         ProcessTitle::Get().HasChanged() || interval_ns > kLongIntervalNs;
}

void CountPendingAtExit(const Segment& segment) { segment.CountDrop(DropReason::kPendingAtExit); }

void CountMissedAtExit(const Segment& segment, int64_t interval_ns, int64_t now_ns) {
  constexpr int64_t kUsual = 2;  // one tick is due, and one may be under way
  const SegmentHeader& header = segment.header();
  const int64_t last_ns = std::max(header.heartbeat_ns.load(std::memory_order_relaxed), header.created_ns);
  const int64_t missed = (now_ns - last_ns) / std::max<int64_t>(interval_ns, 1) - kUsual;
  if (missed > 0) segment.CountDrop(DropReason::kMissedTick, static_cast<uint64_t>(missed));
}

namespace {

// libc's headers turn pthread_atfork, atexit and at_quick_exit into these functions. They are looked up after base. A
// program with a sanitizer's run time in itself interposes them, and that run time is not ready when base's constructor
// runs.
using AtForkFunction = int(void (*)(), void (*)(), void (*)(), void*);
// libc passes such a handler the exit status too.
using AtExitFunction = int(void (*)(void*, int), void*, void*);
constinit RealFunction<AtForkFunction> g_at_fork("__register_atfork");
constinit RealFunction<AtExitFunction> g_at_exit("__cxa_atexit"), g_at_quick_exit("__cxa_at_quick_exit");

// True once the handlers are registered. g_exit_hooks_registered is false again when a thread begins to end the
// recording.
constinit std::atomic<bool> g_fork_hooks_registered{false}, g_exit_hooks_registered{false};

// The thread that ends the recording, or 0.
constinit std::atomic<uint32_t> g_ending_tid{0};
// The thread that ends the recording waits 10 s for the command that writes the profile, and may then copy the segment.
// Another thread that ends the process waits a little longer.
constexpr int64_t kPatienceNs = 12 * kNsPerSecond;

void OnExit(void*, int status);

void RegisterExitHandler() {
  // Handlers of a library are called by its destructors, without the status. Base is never unloaded.
  g_at_exit.get()(&OnExit, nullptr, nullptr);
  g_at_quick_exit.get()(&OnExit, nullptr, &__dso_handle);
}

// The process ends on this thread. A single thread ends the recording, and other threads wait for it. The process would
// otherwise end in the middle of its profile. The function does nothing in the child of a vfork, which is another
// process in this memory. kAtOnce is async-signal-safe, and later exits are then not noticed.
enum class Ending : bool { kByHandlers, kAtOnce };
void EndRecordingOnce(Ending ending, int status) {
  ProfilerCore& core = ProfilerCore::Get();
  const RecordingState& state = RecordingState::Get();
  if (state.HasStoppedForGood()) return;  // the kernel must not be asked for anything
  if (WasUsed() && CurrentProcess() != state.pid()) return;
  if (state.LastSegment() == nullptr) {
    g_exit_hooks_registered.store(false, std::memory_order_relaxed);
    return core.OnExit(status);
  }
  const auto own_tid = static_cast<uint32_t>(CurrentThread().ToNumber());
  uint32_t ending_tid = 0;
  const bool is_first = g_ending_tid.compare_exchange_strong(ending_tid, own_tid);
  if (!is_first && ending_tid == own_tid) return;  // in a signal handler that interrupted the ending
  if (is_first) g_exit_hooks_registered.store(false, std::memory_order_release);
  // libc has removed this handler from its lists. A thread that calls exit or quick_exit meanwhile needs another one.
  if (ending == Ending::kByHandlers) RegisterExitHandler();
  if (is_first) {
    core.OnExit(status);
    g_ending_tid.store(0, std::memory_order_release);
    FutexWake(g_ending_tid, INT_MAX);
    return;
  }
  const int64_t deadline_ns = MonotonicNs() + kPatienceNs;
  while (g_ending_tid.load(std::memory_order_acquire) == ending_tid && MonotonicNs() < deadline_ns) {
    FutexWaitUntil(g_ending_tid, ending_tid, deadline_ns);
  }
}

// It is registered several times. libc also calls handlers that are registered meanwhile, because a destructor may
// start a recording.
void OnExit(void*, int status) {
  const bool is_over =
      !g_exit_hooks_registered.load(std::memory_order_acquire) && g_ending_tid.load(std::memory_order_relaxed) == 0;
  if (!is_over) EndRecordingOnce(Ending::kByHandlers, status);
}

}  // namespace

void RegisterForkHooks() {
  if (!IsGlibc() || g_fork_hooks_registered.exchange(true, std::memory_order_relaxed)) return;
  g_at_fork.get()([] { ProfilerCore::Get().BeforeFork(); }, [] { ProfilerCore::Get().AfterForkInParent(); },
                  [] {
                    if (WasUsed()) g_ending_tid.store(0, std::memory_order_relaxed);  // it was a thread of the parent
                    ProfilerCore::Get().AfterForkInChild();
                  },
                  &__dso_handle);
}

void RegisterExitHooks() {
  if (!IsGlibc()) return;
  RegisterForkHooks();
  if (g_exit_hooks_registered.exchange(true, std::memory_order_relaxed)) return;
  // libc removes each handler before it calls it. A thread that exits at the same moment finds the next one.
  constexpr int kThreadsThatExitAtOnce = 4;
  for (int i = 0; i < kThreadsThatExitAtOnce; ++i) RegisterExitHandler();
}

void EndRecordingBeforeExit(int status) { EndRecordingOnce(Ending::kAtOnce, status); }

}  // namespace geckoprof
