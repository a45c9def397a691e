// Waits of tests for a sampler of this process.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_AWAIT_TICKS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_AWAIT_TICKS_H_

#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

inline void WorkFor(int64_t ns) {
  const int64_t end_ns = MonotonicNs() + ns;
  while (MonotonicNs() < end_ns) {
  }
}

// Works until the sampler has begun `count` more ticks. Earlier ticks are over then. All but the first of the new ones
// know each command that was given before.
inline void AwaitTicks(const SegmentHeader& header, int count) {
  for (int64_t last_ns = header.heartbeat_ns.load(); count > 0;) {
    WorkFor(100'000);
    const int64_t now_ns = header.heartbeat_ns.load();
    count -= now_ns != last_ns;
    last_ns = now_ns;
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_AWAIT_TICKS_H_
