#ifndef GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_TABLE_H_
#define GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "baseprofiler/counter_abi.h"
#include "process/table_lock.h"

namespace geckoprof {

// CounterSlot: the storage of one counter.
struct CounterSlot {
  // The program's threads add to the cell, and the sampler reads it. Relaxed order is enough, because each number
  // stands alone.
  alignas(64) geckoprof_counter cell;

  // Written during creation and destruction, under the protocol of the slot's state.
  alignas(64) uint32_t generation;    // of the counter in this slot, from 1
  uint32_t flags;                     // GECKOPROF_COUNTER_...
  int64_t since_ns;                   // the creation, or the fork that made this process
  int64_t since_count, since_number;  // the values at that time
  int64_t period_ns;                  // of geckoprof_detailed_counter_description
  bool is_forked;                     // the fork counts, and no recording has met the slot; the sampler clears it
  bool is_cut;                        // one of the texts was cut
  int64_t ended_ns;
  int64_t final_count, final_number;  // at the destruction
  uint64_t freed;                     // number of destroyed counters, with this one

  // The sampler alone uses these members.
  alignas(64) uint32_t seen_serial;  // the recording and the counter to which ...
  uint32_t seen_generation;          // ... the members below belong
  uint32_t id;                       // 0: the metadata had no room
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
// Invariants: a change from "ended" is one compare-and-swap. A slot is therefore either read for the last time or used
// again. A free slot rests until kResting other counters were destroyed, so that a late addition to a destroyed counter
// does no harm. Memory is mapped when it is first needed, 64 slots at a time, and it is never unmapped.
// Threads: any thread calls Create and Destroy, which take a lock. The sampler alone calls ForEach, which takes none.
// Context: not signal context.
// Lifetime: constant-initialised. It can be used before any constructor and after any destructor.
class CounterTable {
 public:
  static constexpr uint32_t kMaxCounters = 512;
  static constexpr uint32_t kResting = 256;
  static constexpr uint32_t kSlots = kMaxCounters + kResting;

  enum State : uint32_t { kFree = 0, kFilling, kLive, kEnding, kEnded, kCollecting };

  static CounterTable& Get();

  // `recording` means that a sampler runs and collects destroyed counters.
  geckoprof_counter* Create(const geckoprof_counter_description* description, bool recording);
  geckoprof_counter* CreateOnce(geckoprof_counter** place, const geckoprof_counter_description* description,
                                bool recording);
  void Destroy(geckoprof_counter* counter);

  // The number of counters that were refused because no slot was left.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  bool IsEmpty() const { return slots_used_.load(std::memory_order_relaxed) == 0; }
  // Returns true if a counter was made that may change at any time.
  bool IsEachTickDue() const { return is_each_tick_due_.load(std::memory_order_relaxed); }

  // Calls live(slot) for each live counter, and ended(slot) once for each destroyed one. It costs one load if there
  // never was a counter.
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

  // Called in a forked child. Slots in the middle of a change are freed, because their threads are not here. Destroyed
  // counters belong to the parent.
  void AfterForkInChild();

 private:
  static constexpr uint32_t kRegionSlots = 64;
  static constexpr uint32_t kNoSlot = UINT32_MAX;

  CounterSlot& SlotAt(uint32_t index) {
    return regions_[index / kRegionSlots].load(std::memory_order_relaxed)[index % kRegionSlots];
  }
  uint32_t IndexOf(const geckoprof_counter* counter) const;
  uint32_t AcquireSlot(bool recording);
  bool MapRegion(uint32_t region);
  geckoprof_counter* CreateLocked(const geckoprof_counter_description* description, bool recording);

  TableLock lock_;
  // lock_ guards this member.
  uint64_t destroyed_ = 0;

  std::atomic<uint64_t> refused_{0};                            // relaxed
  std::atomic<bool> is_each_tick_due_{false};                   // relaxed
  std::atomic<uint32_t> slots_used_{0};                         // slots [0, n) have memory; release
  std::atomic<CounterSlot*> regions_[kSlots / kRegionSlots]{};  // written once, before slots_used_
  std::atomic<uint32_t> states_[kSlots]{};  // values of State; release: the slot's members are written
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_TABLE_H_
