// The processor's counter and CLOCK_MONOTONIC, read together: what turns the one's times into the other's.
#ifndef GECKOPROF_SEGMENT_CLOCK_PAIR_H_
#define GECKOPROF_SEGMENT_CLOCK_PAIR_H_

#include <cstdint>
#include <optional>

#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

struct ClockPair {
  uint64_t cycles = 0;
  int64_t ns = 0;
};

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
