#ifndef GECKOPROF_HOOKS_LOCKS_WAIT_RECORDER_H_
#define GECKOPROF_HOOKS_LOCKS_WAIT_RECORDER_H_

#include <atomic>
#include <cstdint>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/config/start_features.h"
#include "locks/lock_sums.h"
#include "runtime/hook_features.h"
#include "runtime/inside_hook.h"

namespace geckoprof {

// WaitRecorder: records how long threads waited for locks.
//
//   wait of the threshold or longer  --> marker "LockWait": kind, address, holder, stack of the waiting thread
//   shorter                          --> LockSums --> markers "LockWaitSums", four times a second and at the end
//
// So every wait is in one of the two, and no wait is in both. After SIGKILL the short waits of the last quarter of a
// second are missing.
//
// Threads: any. Context: any, signal context included, but for Prepare.
class WaitRecorder {
 public:
  static constexpr int64_t kDefaultThresholdNs = 1'000'000;
  static constexpr int64_t kSumsIntervalNs = 250'000'000;

  void Prepare(int64_t threshold_ns);

  // Records a wait that has ended. REQUIRES: start != 0. A function of its own, because the stack leaves out its frame
  // and that of its caller.
  [[gnu::noinline]] void Record(WaitKind kind, uintptr_t address, int32_t holder_tid, geckoprof_time start);

  // Writes the sums of the short waits.
  void WriteSums();

 private:
  std::atomic<int64_t> threshold_ns_{kDefaultThresholdNs};
  std::atomic<geckoprof_time> sums_begin_{0};  // the time of the last WriteSums
  LockSums sums_;
};

extern constinit WaitRecorder g_wait_recorder;

// Returns the time at which a wait begins, or 0 if it is not recorded.
[[gnu::always_inline]] inline geckoprof_time BeginWait() {
  if (HookFeatures(kFeatureLocks) == 0 || IsInsideHook()) return 0;
  return geckoprof_base_time();
}

[[gnu::always_inline]] inline void EndWait(WaitKind kind, const volatile void* lock, int32_t holder_tid,
                                           geckoprof_time start) {
  if (start == 0) return;
  g_wait_recorder.Record(kind, reinterpret_cast<uintptr_t>(lock), holder_tid, start);
}

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LOCKS_WAIT_RECORDER_H_
