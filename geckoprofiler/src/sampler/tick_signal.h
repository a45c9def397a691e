#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SIGNAL_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SIGNAL_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// TickSignal: tells one ordinary thread that a tick has ended. The sampler thread, which libc does not know, sends it.
//
//   sampler:   last_ = (tick, sampled); ++sequence_; waited_for_? futex wake
//   waiter:    waited_for_ = 1; seen = sequence(); look; Wait(seen) .......... returns when sequence_ != seen
//
// Invariant: no wake is lost. Each side writes its word and then reads the other's, in one order for all threads. If
// the sampler missed waited_for_, the waiter's futex call sees the new sequence.
//
// Threads: the sampler calls Tick, any thread calls Poke, and the waiter calls the rest.
// Context: Tick uses no libc, no thread_local and no stack protector. If no thread waits, it costs one load more.
class TickSignal {
 public:
  // The begin of a tick, and whether it sampled.
  struct TickFacts {
    int64_t tick_ns = 0;
    bool sampled = false;
  };

  void Tick(int64_t tick_ns, bool sampled);
  // Wakes the waiter for another reason.
  void Poke();

  // States that a thread will Wait, or that it will not.
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
