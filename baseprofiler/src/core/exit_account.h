// What a process that ends normally still owes to its profile.
#ifndef GECKOPROF_BASEPROFILER_CORE_EXIT_ACCOUNT_H_
#define GECKOPROF_BASEPROFILER_CORE_EXIT_ACCOUNT_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"

namespace geckoprof {

// Whether there may be something that only the sampler can write down, and that it has not: values of counters, stacks
// of markers, the process's title, or, of a long interval, the clocks. Any thread.
bool IsOwedAtExit(int64_t interval_ns);

// The sampler had no core for it. Counted: that, where something was owed.
void CountOwed(const Segment& segment);

// Counts the ticks since the sampler's last one as missed, if there are several: it had no core, and who ends does not
// wait for it.
void CountMissedAtExit(const Segment& segment, int64_t interval_ns, int64_t now_ns);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_EXIT_ACCOUNT_H_
