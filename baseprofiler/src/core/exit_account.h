// Losses of a process that ends normally.
#ifndef GECKOPROF_BASEPROFILER_CORE_EXIT_ACCOUNT_H_
#define GECKOPROF_BASEPROFILER_CORE_EXIT_ACCOUNT_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"

namespace geckoprof {

// Returns true if there may be data that only the sampler can write and has not written. Examples are values of
// counters, stacks of markers and the process's title. After a long interval the clocks are such data too. Any thread
// may call it.
bool HasPendingAtExit(int64_t interval_ns);

// Counts a loss. There was such data, and the sampler had no core to write it.
void CountPendingAtExit(const Segment& segment);

// Counts the ticks since the sampler's last one as missed, if there are several. The sampler had no core for them, and
// the end of the process does not wait for it.
void CountMissedAtExit(const Segment& segment, int64_t interval_ns, int64_t now_ns);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_EXIT_ACCOUNT_H_
