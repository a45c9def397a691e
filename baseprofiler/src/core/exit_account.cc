#include "core/exit_account.h"

#include <algorithm>

#include "counters/counter_table.h"
#include "geckoprof/base/clock.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_title.h"

namespace geckoprof {

bool HasPendingAtExit(int64_t interval_ns) {
  constexpr int64_t kLongIntervalNs = 50 * kNsPerMs;  // the time since the clocks were last read together
  return !CounterTable::Get().IsEmpty() || PendingMarkerStacks::Get().AnyPublished() ||
         ProcessTitle::Get().HasChanged() || interval_ns > kLongIntervalNs;
}

void CountPendingAtExit(const Segment& segment) { segment.CountDrop(DropReason::kPendingAtExit); }

void CountMissedAtExit(const Segment& segment, int64_t interval_ns, int64_t now_ns) {
  constexpr int64_t kUsual = 2;  // one tick is due, and one may be under way
  const SegmentHeader& header = segment.header();
  const int64_t last_ns = std::max(header.heartbeat_ns.load(std::memory_order_relaxed), header.created_ns);
  const int64_t missed = (now_ns - last_ns) / std::max<int64_t>(interval_ns, 1) - kUsual;
  if (missed > 0) segment.CountDrop(DropReason::kMissedTick, static_cast<uint64_t>(missed));
}

}  // namespace geckoprof
