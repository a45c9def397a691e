#ifndef GECKOPROF_READER_CYCLE_TIMES_H_
#define GECKOPROF_READER_CYCLE_TIMES_H_

#include <cstdint>
#include <vector>

#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {

// CycleTimes: from the processor's counter to ns on CLOCK_MONOTONIC, by the pairs of both that a segment holds.
//
//   ns |            .x      between two pairs on a straight line, outside of them on the nearest one's
//      |      .x'
//      |  x'                pairs closer than kApartNs to the one before are left out: their line would be crooked
//      +--------------- cycles
//
// A pair that contradicts the ones before it (a damaged file, a counter that jumped) is left out. Threads: one.
class CycleTimes {
 public:
  void Add(const ClockPair& pair) { pairs_.push_back(pair); }
  // All were added.
  void Finish();

  // Whether there is a line at all.
  bool known() const { return pairs_.size() >= 2; }
  // REQUIRES: known().
  int64_t ToNs(uint64_t cycles) const;

 private:
  static constexpr int64_t kApartNs = 100'000'000;  // what reading a pair may be off, 50 ns, is half a ppm of it
  std::vector<ClockPair> pairs_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_CYCLE_TIMES_H_
