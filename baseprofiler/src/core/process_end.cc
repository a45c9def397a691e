#include "core/process_end.h"

#include <limits.h>

#include <atomic>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "libc/real_functions.h"
#include "process/process_control.h"

// What tells libc whose a handler is: each library has its own.
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;  // NOLINT

namespace geckoprof {
namespace {

// What libc's headers make of pthread_atfork, atexit and at_quick_exit. Looked up behind us: a program that has a
// sanitizer's run time linked into itself stands in front of these, and that is not set up when our constructor runs.
using AtForkFunction = int(void (*)(), void (*)(), void (*)(), void*);
using AtExitFunction = int(void (*)(void*), void*, void*);
constinit RealFunction<AtForkFunction> g_at_fork("__register_atfork");
constinit RealFunction<AtExitFunction> g_at_exit("__cxa_atexit"), g_at_quick_exit("__cxa_at_quick_exit");

// Registered. The latter: and no thread has begun to end the recording since.
constinit std::atomic<bool> g_hears_of_forks{false}, g_hears_of_exit{false};

// Which thread ends the recording; 0: none.
constinit std::atomic<uint32_t> g_ending_tid{0};
// The thread that ends the recording waits 10 s for the command that writes the profile, and may then copy the segment.
// Another thread that ends the process waits a little longer.
constexpr int64_t kPatienceNs = 12 * kNsPerSecond;

void OnExit(void*);

void HearOfOneExit() {
  g_at_exit.get()(&OnExit, nullptr, &__dso_handle);
  g_at_quick_exit.get()(&OnExit, nullptr, &__dso_handle);
}

// The process ends, on this thread: one of them ends the recording, others wait for it, since the process would be gone
// in the midst of its profile. In the child of a vfork, which is another process in our memory, it does nothing.
// kAtOnce: async-signal-safe; of exits later on nothing is heard.
enum class Ending : bool { kByHandlers, kAtOnce };
void EndOnce(Ending ending) {
  ProfilerCore& core = ProfilerCore::Get();
  const RecordingState& state = RecordingState::Get();
  if (state.HasStoppedForGood()) return;  // the kernel may be asked for nothing
  if (WasUsed() && CurrentProcess() != state.pid()) return;
  if (state.LastSegment() == nullptr) {
    g_hears_of_exit.store(false, std::memory_order_relaxed);
    return core.OnExit();
  }
  const auto own_tid = static_cast<uint32_t>(CurrentThread().ToNumber());
  uint32_t ending_tid = 0;
  const bool is_first = g_ending_tid.compare_exchange_strong(ending_tid, own_tid);
  if (!is_first && ending_tid == own_tid) return;  // a signal handler that interrupted it
  if (is_first) g_hears_of_exit.store(false, std::memory_order_release);
  // For a thread that calls exit or quick_exit meanwhile: libc has crossed this handler off its lists.
  if (ending == Ending::kByHandlers) HearOfOneExit();
  if (is_first) {
    core.OnExit();
    g_ending_tid.store(0, std::memory_order_release);
    FutexWake(g_ending_tid, INT_MAX);
    return;
  }
  const int64_t deadline_ns = MonotonicNs() + kPatienceNs;
  while (g_ending_tid.load(std::memory_order_acquire) == ending_tid && MonotonicNs() < deadline_ns) {
    FutexWaitUntil(g_ending_tid, ending_tid, deadline_ns);
  }
}

// Registered several times. libc calls what is registered meanwhile, too: a destructor may start a recording.
void OnExit(void*) {
  const bool is_over =
      !g_hears_of_exit.load(std::memory_order_acquire) && g_ending_tid.load(std::memory_order_relaxed) == 0;
  if (!is_over) EndOnce(Ending::kByHandlers);
}

}  // namespace

void RegisterForkHooks() {
  if (!IsGlibc() || g_hears_of_forks.exchange(true, std::memory_order_relaxed)) return;
  g_at_fork.get()([] { ProfilerCore::Get().BeforeFork(); }, [] { ProfilerCore::Get().AfterForkInParent(); },
                  [] {
                    if (WasUsed()) g_ending_tid.store(0, std::memory_order_relaxed);  // a thread of the parent's
                    ProfilerCore::Get().AfterForkInChild();
                  },
                  &__dso_handle);
}

void RegisterExitHooks() {
  if (!IsGlibc()) return;
  RegisterForkHooks();
  if (g_hears_of_exit.exchange(true, std::memory_order_relaxed)) return;
  // libc crosses off each before it calls it. A thread that exits at that moment finds the next.
  constexpr int kThreadsThatExitAtOnce = 4;
  for (int i = 0; i < kThreadsThatExitAtOnce; ++i) HearOfOneExit();
}

void EndRecordingBeforeExit() { EndOnce(Ending::kAtOnce); }

}  // namespace geckoprof
