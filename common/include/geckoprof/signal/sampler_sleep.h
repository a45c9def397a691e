// The sleep of the sampler, from which a handler may wake it.
#ifndef GECKOPROF_SIGNAL_SAMPLER_SLEEP_H_
#define GECKOPROF_SIGNAL_SAMPLER_SLEEP_H_

#include <linux/futex.h>

#include <atomic>
#include <cstdint>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

// SamplerSleep: how deeply the sampler sleeps, and the word on which it does so.
//
//   sampler:  reads `word`, stores `depth`, looks for work, waits while `word` is unchanged
//   others:   publish work, WakeFrom: depth is large enough? -> depth = kAwake, word changes, futex wake
//
// Invariant: no wake is lost. Each side writes its variable first and then reads the other's, in one order for all
// threads. All bits zero is the initial state.
//
// Threads: any.
// Context: any, signal context included. A sampler that is awake costs the caller one load.
struct SamplerSleep {
  // A sampler that sleeps for less than an interval counts as awake.
  enum Depth : uint32_t {
    kAwake = 0,
    kUntilBatch = 1,  // until it takes the next ticks together
    kUntilTick = 2,   // nothing runs; the next tick wakes it
  };
  // `word` has a command below this bit.
  static constexpr uint32_t kStep = 8;

  std::atomic<uint32_t> word;
  std::atomic<uint32_t> depth;

  void WakeFrom(Depth least) {
    if (depth.load(std::memory_order_seq_cst) < least) return;
    if (depth.exchange(kAwake, std::memory_order_seq_cst) != kAwake) Nudge();
  }
  // Wakes the sampler. The command stays.
  void Nudge() {
    word.fetch_add(kStep, std::memory_order_release);
    RawSyscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_SAMPLER_SLEEP_H_
