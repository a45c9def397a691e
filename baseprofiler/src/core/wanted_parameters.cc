#include "core/wanted_parameters.h"

#include <algorithm>

namespace geckoprof {

namespace {

uint64_t WantedCapacity(const HandoverParameters& wanted) {
  const uint64_t capacity_bytes = wanted.capacity_bytes == 0 ? kDefaultCapacityBytes : wanted.capacity_bytes;
  return std::clamp(capacity_bytes, kMinCapacityBytes, kMaxCapacityBytes);
}

int64_t WantedInterval(const HandoverParameters& wanted) {
  const int64_t interval_ns = wanted.interval_ns <= 0 ? kDefaultIntervalNs : wanted.interval_ns;
  return std::clamp(interval_ns, kMinIntervalNs, kMaxIntervalNs);
}

int64_t WantedDuration(const HandoverParameters& wanted) { return std::max<int64_t>(wanted.duration_ns, 0); }
uint32_t WantedFeatures(const HandoverParameters& wanted) { return AdjustFeatures(wanted.features) & kBaseFeatures; }

void ApplyFilter(const HandoverParameters& wanted, ThreadFilter& filter) {
  filter.Clear();
  for (uint32_t i = 0; i < wanted.filter_count; ++i) (void)filter.Add(wanted.filters[i]);
}

}  // namespace

void ApplyWanted(const HandoverParameters& wanted, StartParameters& parameters) {
  parameters.capacity_bytes = WantedCapacity(wanted);
  parameters.interval_ns = WantedInterval(wanted);
  parameters.duration_ns = WantedDuration(wanted);
  parameters.features = WantedFeatures(wanted);
  parameters.requested_features = wanted.requested_features;
  ApplyFilter(wanted, parameters.filter);
}

ThreadFilter WantedFilter(const HandoverParameters& wanted) {
  ThreadFilter filter;
  ApplyFilter(wanted, filter);
  return filter;
}

bool MatchesWanted(const HandoverParameters& wanted, const StartParameters& kept) {
  if (WantedCapacity(wanted) != kept.capacity_bytes || WantedInterval(wanted) != kept.interval_ns ||
      WantedDuration(wanted) != kept.duration_ns || WantedFeatures(wanted) != kept.features) {
    return false;
  }
  if (((wanted.requested_features ^ kept.requested_features) & kHookFeatures) != 0) return false;
  const ThreadFilter filter = WantedFilter(wanted);
  if (filter.size() != kept.filter.size()) return false;
  for (size_t i = 0; i < filter.size(); ++i) {
    if (filter.item(i) != kept.filter.item(i)) return false;
  }
  return true;
}

void DescribeWanted(const StartParameters& parameters, std::span<const char*> items, HandoverParameters& out) {
  const size_t count = std::min(parameters.filter.size(), items.size());
  for (size_t i = 0; i < count; ++i) items[i] = parameters.filter.item(i).data();
  out.features = parameters.features;
  out.capacity_bytes = parameters.capacity_bytes;
  out.interval_ns = parameters.interval_ns;
  out.duration_ns = parameters.duration_ns;
  out.filters = items.data();
  out.filter_count = static_cast<uint32_t>(count);
  out.requested_features = parameters.requested_features;
}

}  // namespace geckoprof
