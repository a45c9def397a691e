#include "handover/wanted_parameters.h"

#include <algorithm>

namespace geckoprof {

void TakeWanted(const HandoverParameters& wanted, StartParameters& parameters) {
  const uint64_t capacity_bytes = wanted.capacity_bytes == 0 ? kDefaultCapacityBytes : wanted.capacity_bytes;
  const int64_t interval_ns = wanted.interval_ns <= 0 ? kDefaultIntervalNs : wanted.interval_ns;
  parameters.capacity_bytes = std::clamp(capacity_bytes, kMinCapacityBytes, kMaxCapacityBytes);
  parameters.interval_ns = std::clamp(interval_ns, kMinIntervalNs, kMaxIntervalNs);
  parameters.duration_ns = std::max<int64_t>(wanted.duration_ns, 0);
  parameters.features = AdjustFeatures(wanted.features) & kBaseFeatures;
  parameters.requested_features = wanted.requested_features;
  parameters.filter.Clear();
  for (uint32_t i = 0; i < wanted.filter_count; ++i) (void)parameters.filter.Add(wanted.filters[i]);
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
