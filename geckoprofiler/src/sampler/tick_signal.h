#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SIGNAL_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SIGNAL_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// TickSignal: how the sampler thread, which libc does not know, tells one ordinary thread that a tick has ended.
//
//   sampler:   last_ = (tick, sampled); ++sequence_; waited_for_? futex wake
//   waiter:    waited_for_ = 1; seen = sequence(); look; Wait(seen) .......... returns when sequence_ != seen
//
// Invariant: no wake is lost. Both sides write their word and then read the other's, in one order for all threads: if
// the sampler missed waited_for_, the waiter's futex call sees the new sequence. Threads: Tick: the sampler; Poke: any;
// the rest: the waiter. Context: Tick: no libc, no thread_local, no stack protector; one more load if no thread waits.
class TickSignal {
 public:
  // When a tick began, and whether it sampled.
  struct TickFacts {
    int64_t tick_ns = 0;
    bool sampled = false;
  };

  void Tick(int64_t tick_ns, bool sampled);
  // Wakes the waiter for another reason.
  void Poke();

  // Says that a thread will Wait, or that it will not.
  void SetWaitedFor(bool waited_for) { waited_for_.store(waited_for ? 1 : 0, std::memory_order_seq_cst); }
  uint32_t sequence() const { return sequence_.load(std::memory_order_seq_cst); }
  void Wait(uint32_t seen, int64_t timeout_ns) const;

  TickFacts last() const {
    const uint64_t word = last_.load(std::memory_order_acquire);
    return {static_cast<int64_t>(word >> 1), (word & 1) != 0};
  }

 private:
  std::atomic<uint64_t> last_{0};  // tick_ns << 1 | sampled, in one word so that they belong together
  std::atomic<uint32_t> sequence_{0};
  std::atomic<uint32_t> waited_for_{0};
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SIGNAL_H_
