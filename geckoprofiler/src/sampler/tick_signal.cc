#include "sampler/tick_signal.h"

#include "geckoprof/base/futex.h"

namespace geckoprof {

void TickSignal::Tick(int64_t tick_ns, bool sampled) {
  last_.store(static_cast<uint64_t>(tick_ns) << 1 | (sampled ? 1 : 0), std::memory_order_release);
  sequence_.fetch_add(1, std::memory_order_seq_cst);
  if (waited_for_.load(std::memory_order_seq_cst) != 0) FutexWake(sequence_, 1);
}

void TickSignal::Poke() {
  sequence_.fetch_add(1, std::memory_order_seq_cst);
  FutexWake(sequence_, 1);
}

void TickSignal::Wait(uint32_t seen, int64_t timeout_ns) const { FutexWait(sequence_, seen, timeout_ns); }

}  // namespace geckoprof
