#ifndef GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_TABLE_H_
#define GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "baseprofiler/counter_abi.h"
#include "process/table_lock.h"

namespace geckoprof {

// A place for a counter.
struct CounterSlot {
  // The program's threads add to it; the sampler reads. Relaxed: each number stands for itself.
  alignas(64) geckoprof_counter cell;

  // Written by who creates and destroys, under the state's protocol.
  alignas(64) uint32_t generation;  // of the counters in this place; from 1
  uint32_t flags;                   // GECKOPROF_COUNTER_...
  int64_t since_ns;                 // its creation, or the fork that made this process, and what it had then
  int64_t since_count, since_number;
  bool is_forked;  // the latter, and no recording of this process has met it; the sampler's to clear
  bool is_cut;     // one of its texts
  int64_t ended_ns;
  int64_t final_count, final_number;  // at its destruction
  uint64_t freed;                     // how many had been destroyed then, it included

  // The sampler's alone.
  alignas(64) uint32_t seen_serial;  // the recording, and ...
  uint32_t seen_generation;          // ... the counter that the rest is about
  uint32_t id;                       // 0: there was no room for its metadata
  bool ever_written;
  int64_t written_count, written_number;

  char name[96], category[48], description[192], unit[24], color[16];
};

// CounterTable: all counters of the process.
//
//            Create           Destroy            sampler: final values written
//   free -> filling -> live -> ending -> ended -> collecting -> free
//                                          \------- Create, while nothing is recorded ---^
//
// Who changes a state from "ended" on does it by one compare and exchange, so a place is either read for the last time
// or used anew. A place that became free rests until kResting others did, so that a late addition to a destroyed
// counter goes nowhere. Memory is mapped when it is first needed, 64 places at a time, and never unmapped.
//
// Threads: Create, Destroy: any, under a lock; ForEach: the sampler, without. Context: not signal context. Lifetime:
// constant-initialised: usable before any constructor and after any destructor.
class CounterTable {
 public:
  static constexpr uint32_t kMostCounters = 512;
  static constexpr uint32_t kResting = 256;
  static constexpr uint32_t kSlots = kMostCounters + kResting;

  enum State : uint32_t { kFree = 0, kFilling, kLive, kEnding, kEnded, kCollecting };

  static CounterTable& Get();

  // `recording`: whether a sampler runs that collects what was destroyed.
  geckoprof_counter* Create(const geckoprof_counter_description* description, bool recording);
  geckoprof_counter* CreateOnce(geckoprof_counter** place, const geckoprof_counter_description* description,
                                bool recording);
  void Destroy(geckoprof_counter* counter);

  // How many were refused so far, for want of a place.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  bool IsEmpty() const { return slots_used_.load(std::memory_order_relaxed) == 0; }

  // Calls live(slot) for each counter there is, and ended(slot), for the last time, for each that was destroyed. One
  // load when there never was one.
  template <typename Live, typename Ended>
  void ForEach(const Live& live, const Ended& ended) {
    const uint32_t used = slots_used_.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < used; ++i) {
      uint32_t state = states_[i].load(std::memory_order_acquire);
      if (state == kLive) live(SlotAt(i));
      if (state == kEnded && states_[i].compare_exchange_strong(state, kCollecting, std::memory_order_acquire,
                                                                std::memory_order_relaxed)) {
        ended(SlotAt(i));
        states_[i].store(kFree, std::memory_order_release);
      }
    }
  }

  // In the child of a fork: whoever was in the middle of something is not here, and what was destroyed was the
  // parent's.
  void AfterForkInChild();

 private:
  static constexpr uint32_t kRegionSlots = 64;
  static constexpr uint32_t kNoSlot = UINT32_MAX;

  CounterSlot& SlotAt(uint32_t index) {
    return regions_[index / kRegionSlots].load(std::memory_order_relaxed)[index % kRegionSlots];
  }
  uint32_t IndexOf(const geckoprof_counter* counter) const;
  uint32_t TakeSlot(bool recording);
  bool MapRegion(uint32_t region);
  geckoprof_counter* CreateLocked(const geckoprof_counter_description* description, bool recording);

  TableLock lock_;
  // Guarded by lock_.
  uint64_t destroyed_ = 0;

  std::atomic<uint64_t> refused_{0};                            // relaxed
  std::atomic<uint32_t> slots_used_{0};                         // places [0, n) have memory; release
  std::atomic<CounterSlot*> regions_[kSlots / kRegionSlots]{};  // written once, before slots_used_
  std::atomic<uint32_t> states_[kSlots]{};                      // of State; release: what it stands for is in the slot
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_TABLE_H_
