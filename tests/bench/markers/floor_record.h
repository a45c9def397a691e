#ifndef GECKOPROF_TESTS_BENCH_MARKERS_FLOOR_RECORD_H_
#define GECKOPROF_TESTS_BENCH_MARKERS_FLOOR_RECORD_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace geckoprof {

// What marking costs at least: the time stamps, and a record in a ring of the thread's own.
struct Ring {
  static constexpr uint64_t kBytes = 64 * 1024;
  alignas(64) uint8_t bytes[kBytes];
  uint64_t head = 0;
};

inline uint64_t Cycles() {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t{high} << 32) | low;
}

inline void PutRecord(Ring& ring, uint64_t begin, uint64_t end) {
  uint8_t* const to = ring.bytes + (ring.head & (Ring::kBytes - 1));
  const uint64_t head = 7;
  std::memcpy(to, &head, 8);
  std::memcpy(to + 8, &begin, 8);
  std::memcpy(to + 16, &end, 8);
  std::memcpy(to + 24, &head, 8);
  __atomic_store_n(&ring.head, ring.head + 32, __ATOMIC_RELEASE);
}

// REQUIRES: there are some.
inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_BENCH_MARKERS_FLOOR_RECORD_H_
