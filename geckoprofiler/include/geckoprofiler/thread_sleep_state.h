#ifndef GECKOPROF_GECKOPROFILER_THREAD_SLEEP_STATE_H_
#define GECKOPROF_GECKOPROFILER_THREAD_SLEEP_STATE_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// ThreadSleepState: whether a thread says that it sleeps, and whether that was seen in a sample.
//
//            SetSleeping                        CanDuplicateLastSampleDueToSleep
//   AWAKE -----------------> SLEEPING_NOT_OBSERVED ----------------> SLEEPING_OBSERVED
//     ^                        |         ^                             |          |
//     +------- SetAwake -------+         +--- ReinitializeOnResume ----+          |
//     +------------------------------- SetAwake ---------------------------------+
//
// Invariant: each sleep, and each recording that begins or resumes meanwhile, has one real sample; the samples after it
// may be said to be the same. Sleeping does not nest: a second SetSleeping starts a new sleep.
//
// Threads: the owner calls SetSleeping and SetAwake, any other the rest. All loads and stores are relaxed, for nothing
// else is read on the strength of this word; one that looks in the very moment of a change gets either answer, which is
// as true as a look a moment before or after. Context: any, signal context included.
class ThreadSleepState {
 public:
  void SetSleeping() { state_.store(kSleepingNotObserved, std::memory_order_relaxed); }
  void SetAwake() { state_.store(kAwake, std::memory_order_relaxed); }
  bool IsSleeping() const { return state_.load(std::memory_order_relaxed) != kAwake; }

  // The look of a sampler. False the first time in a sleep: it must take a sample.
  bool CanDuplicateLastSampleDueToSleep() {
    uint32_t seen = kSleepingNotObserved;
    if (state_.compare_exchange_strong(seen, kSleepingObserved, std::memory_order_relaxed)) return false;
    return seen == kSleepingObserved;
  }

  // Samples taken before do not count any more.
  void ReinitializeOnResume() {
    uint32_t seen = kSleepingObserved;
    state_.compare_exchange_strong(seen, kSleepingNotObserved, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kAwake = 0;
  static constexpr uint32_t kSleepingNotObserved = 1;
  static constexpr uint32_t kSleepingObserved = 2;

  std::atomic<uint32_t> state_{kAwake};
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_SLEEP_STATE_H_
