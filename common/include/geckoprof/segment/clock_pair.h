// The processor's counter and CLOCK_MONOTONIC, read together: what turns the one's times into the other's.
#ifndef GECKOPROF_SEGMENT_CLOCK_PAIR_H_
#define GECKOPROF_SEGMENT_CLOCK_PAIR_H_

#include <cstdint>
#include <optional>

#include "geckoprof/arch/cycle_counter.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

struct ClockPair {
  uint64_t cycles = 0;
  int64_t ns = 0;
};

// Both clocks, and how far apart they were read: the pair is off by no more than half of that, however long the thread
// was kept from running in between.
struct ClockReading {
  ClockPair pair;
  uint64_t apart_cycles = UINT64_MAX;
};

// So close together, or the closest of some tries.
inline constexpr uint64_t kCloseCycles = 512;
inline ClockReading ReadClocks(int most_tries, uint64_t close_cycles = kCloseCycles) {
  ClockReading best;
  for (; most_tries > 0 && best.apart_cycles > close_cycles; --most_tries) {
    const uint64_t before = ReadCycleCounter();
    const int64_t ns = MonotonicNs();
    const uint64_t apart_cycles = ReadCycleCounter() - before;
    if (apart_cycles < best.apart_cycles) best = {{before + apart_cycles / 2, ns}, apart_cycles};
  }
  return best;
}

// Threads: one writer.
inline void WriteLatestPair(SegmentHeader& header, const ClockPair& pair) {
  const uint32_t sequence = header.clock_begun.load(std::memory_order_relaxed) + 1;
  header.clock_begun.store(sequence, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  header.latest_cycles.store(pair.cycles, std::memory_order_relaxed);
  header.latest_cycles_ns.store(pair.ns, std::memory_order_relaxed);
  header.clock_done.store(sequence, std::memory_order_release);
}

// Of a header or of a copy of one that was made from its beginning to its end. Nothing: it was just being written, or
// there never was one.
inline std::optional<ClockPair> ReadLatestPair(const SegmentHeader& header) {
  const uint32_t done = header.clock_done.load(std::memory_order_acquire);
  const ClockPair pair{header.latest_cycles.load(std::memory_order_relaxed),
                       header.latest_cycles_ns.load(std::memory_order_relaxed)};
  std::atomic_thread_fence(std::memory_order_acquire);
  if (done == 0 || header.clock_begun.load(std::memory_order_relaxed) != done) return std::nullopt;
  return pair;
}

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_CLOCK_PAIR_H_
