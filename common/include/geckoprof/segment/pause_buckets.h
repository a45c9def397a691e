// Pauses of sampled threads are counted by length. The classes are half octaves from 1 ns on.
//
//   bucket  0          1        2      3      4      5      6 ...       kPauseBuckets - 1
//   ns      0 to 1     none     2      3      4..5   6..7   8..11       all longer pauses
#ifndef GECKOPROF_COMMON_SEGMENT_PAUSE_BUCKETS_H_
#define GECKOPROF_COMMON_SEGMENT_PAUSE_BUCKETS_H_

#include <bit>
#include <cstdint>

#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

constexpr uint32_t PauseBucket(uint64_t ns) {
  if (ns == 0) return 0;
  const uint32_t octave = static_cast<uint32_t>(std::bit_width(ns)) - 1;
  const uint32_t upper_half = octave > 0 && (ns >> (octave - 1) & 1) != 0 ? 1 : 0;
  const uint32_t bucket = 2 * octave + upper_half;
  return bucket < kPauseBuckets ? bucket : kPauseBuckets - 1;
}

// Returns the start of the next class, which is 2, 2, 3, 4, 6, 8 ...
constexpr uint64_t PauseBucketEndNs(uint32_t bucket) {
  if (bucket == 0) return 2;
  const uint64_t octave = uint64_t{1} << (bucket / 2);
  return bucket % 2 == 0 ? octave + octave / 2 : octave * 2;
}

}  // namespace geckoprof

#endif  // GECKOPROF_COMMON_SEGMENT_PAUSE_BUCKETS_H_
