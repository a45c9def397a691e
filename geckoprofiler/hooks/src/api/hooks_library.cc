// The begin and the end of libgeckoprofiler_hooks.so, and its only function that is no hook.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

#include "allocations/allocation_sampler.h"
#include "allocations/next_allocator.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_number.h"
#include "io/io_hook.h"
#include "io/io_recorder.h"
#include "libraries/load_recorder.h"
#include "locks/wait_hooks.h"
#include "locks/wait_recorder.h"
#include "loops/loop_recorder.h"
#include "runtime/hook_features.h"
#include "runtime/hook_marker.h"
#include "runtime/next_function.h"
#include "system_calls/syscall_hook.h"

namespace geckoprof {
namespace {

void TellOfOtherAllocator() {
  if (HookFeatures(kFeatureNativeAllocations | kFeatureMemory) == 0) return;
  if (!HasOtherAllocator()) return;
  static constinit geckoprof_marker_site site = MakeHookMarkerSite("Allocations are not recorded", nullptr, 0);
  geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_INSTANT | GECKOPROF_MARKER_NOW, 0, 0, 0);
}

// Returns the ns of a number of milliseconds, or `otherwise` if the variable has none.
int64_t ReadMilliseconds(const char* variable, int64_t otherwise) {
  const char* const text = getenv(variable);
  const std::optional<uint64_t> ns = text != nullptr ? ParseFixedPoint(text, 6) : std::nullopt;
  return ns.has_value() && *ns <= uint64_t{INT64_MAX} ? static_cast<int64_t>(*ns) : otherwise;
}

// The functions that programs call most are looked up at once, the others when they are called first.
void PrepareIo() {
  FindNextDescriptorFunctions();
  FindNextFileFunctions();
  FindNextSocketFunctions();
  FindNextStreamFunctions();
  g_io_recorder.Prepare(ReadMilliseconds("GECKOPROF_IO_THRESHOLD", IoRecorder::kDefaultThresholdNs));
}

void PrepareLocks() {
  FindNextLockFunctions();
  FindNextWaitFunctions();
  FindNextSystemCall();
  g_wait_recorder.Prepare(ReadMilliseconds("GECKOPROF_LOCK_THRESHOLD", WaitRecorder::kDefaultThresholdNs));
}

// The process whose sums these are. A child of vfork has another pid and the same memory.
constinit std::atomic<int64_t> g_process{0};
void NoteProcess() { g_process.store(RawSyscall(SYS_getpid), std::memory_order_relaxed); }

constinit NextFunction g_next_exit("_exit", &_exit);

[[gnu::constructor]] void PrepareHooks() {
  NoteProcess();
  pthread_atfork(nullptr, nullptr, &NoteProcess);
  (void)g_next_exit.get();
  PrepareLocks();
  FindNextLoopFunctions();
  g_loop_recorder.Prepare(ReadMilliseconds("GECKOPROF_LOOP_THRESHOLD", LoopRecorder::kDefaultThresholdNs));
  (void)FindNextAllocator();
  g_allocation_sampler.Prepare();
  TellOfOtherAllocator();
  PrepareIo();
  FindNextLibraryFunctions();
  g_load_recorder.FinishStart();
}

[[gnu::destructor]] void FinishHooks() {
  g_allocation_sampler.Finish();
  g_io_recorder.Finish();
  g_wait_recorder.WriteSums();
}

// A process that ends at once, which a forked child mostly does, calls no destructor. Context: any.
[[noreturn, gnu::always_inline]] inline void EndAtOnce(int status) {
  if (HookFeatures(kHookFeatures) != 0 && RawSyscall(SYS_getpid) == g_process.load(std::memory_order_relaxed)) {
    FinishHooks();
  }
  if (auto* const next = g_next_exit.get()) next(status);
  for (;;) RawSyscall(SYS_exit_group, status);
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_HOOK void _exit(int status) { geckoprof::EndAtOnce(status); }
GECKOPROF_HOOK void _Exit(int status) noexcept { geckoprof::EndAtOnce(status); }

// Returns the features that hooks have. Signal safe.
extern "C" [[gnu::visibility("default")]] uint32_t geckoprof_hooks_features() { return geckoprof::kHookFeatures; }
