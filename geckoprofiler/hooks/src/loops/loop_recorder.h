#ifndef GECKOPROF_HOOKS_LOOPS_LOOP_RECORDER_H_
#define GECKOPROF_HOOKS_LOOPS_LOOP_RECORDER_H_

#include <atomic>
#include <cstdint>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// LoopRecorder: records how long iterations of event loops took. An iteration of the threshold or longer is a marker
// "LoopBlocked". The counter "Event loop delay" shows the last iteration of a millisecond or more, and 0 after a
// shorter one. The last loop that ends an iteration sets it, if a process has several loops.
//
// Threads: any. Context: any, signal context included. The first iteration makes the counter.
class LoopRecorder {
 public:
  static constexpr int64_t kDefaultThresholdNs = 50'000'000;
  static constexpr int64_t kCountedNs = 1'000'000;

  void Prepare(int64_t threshold_ns) { threshold_ns_.store(threshold_ns, std::memory_order_relaxed); }
  // Records an iteration that ends now.
  [[gnu::always_inline]] void Record(geckoprof_time begin, geckoprof_time end) {
    if (end - begin > short_ticks_.load(std::memory_order_relaxed)) [[unlikely]]
      RecordLong(begin, end);
  }

 private:
  [[gnu::noinline]] void RecordLong(geckoprof_time begin, geckoprof_time end);

  // A time is ns or ticks, and to convert it costs more than all the rest. So the recorder remembers the largest
  // difference that was found to be shorter than kCountedNs. The bound holds if the clock changes.
  static constexpr uint64_t kMostShortTicks = 500'000;

  std::atomic<int64_t> threshold_ns_{kDefaultThresholdNs};
  std::atomic<uint64_t> short_ticks_{0};  // 0 also while the counter is not 0
};

extern constinit LoopRecorder g_loop_recorder;

// Looks up the functions behind the hooks of this folder.
void FindNextLoopFunctions();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LOOPS_LOOP_RECORDER_H_
