// The processor's cycle counter and CLOCK_MONOTONIC, read together. The pairs convert times of one clock to the other.
#ifndef GECKOPROF_SEGMENT_CLOCK_PAIR_H_
#define GECKOPROF_SEGMENT_CLOCK_PAIR_H_

#include <cstdint>
#include <optional>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

struct ClockPair {
  uint64_t cycles = 0;
  int64_t ns = 0;
};

// Both clocks and the distance between the two reads. The error of the pair is at most half of that distance, even if
// the thread was preempted between the reads.
struct ClockReading {
  ClockPair pair;
  uint64_t apart_cycles = UINT64_MAX;
};

// Two reads within kCloseCycles count as close together. ReadClocks repeats the reads until they are. If they never
// are, it returns the closest of `most_tries` readings.
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

// Publishes the pair under a sequence lock.
//
// Threads: one writer.
inline void WriteLatestPair(SegmentHeader& header, const ClockPair& pair) {
  const uint32_t sequence = header.clock_begun.load(std::memory_order_relaxed) + 1;
  header.clock_begun.store(sequence, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  header.latest_cycles.store(pair.cycles, std::memory_order_relaxed);
  header.latest_cycles_ns.store(pair.ns, std::memory_order_relaxed);
  header.clock_done.store(sequence, std::memory_order_release);
}

// Reads the pair from a header, or from a copy of a header that was made from its beginning to its end. The result is
// empty if the pair was being written, or if no pair was ever written.
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
