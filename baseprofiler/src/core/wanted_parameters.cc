#include "core/wanted_parameters.h"

#include <algorithm>

namespace geckoprof {

namespace {

uint64_t CapacityOf(const HandoverParameters& wanted) {
  const uint64_t capacity_bytes = wanted.capacity_bytes == 0 ? kDefaultCapacityBytes : wanted.capacity_bytes;
  return std::clamp(capacity_bytes, kMinCapacityBytes, kMaxCapacityBytes);
}

int64_t IntervalOf(const HandoverParameters& wanted) {
  const int64_t interval_ns = wanted.interval_ns <= 0 ? kDefaultIntervalNs : wanted.interval_ns;
  return std::clamp(interval_ns, kMinIntervalNs, kMaxIntervalNs);
}

int64_t DurationOf(const HandoverParameters& wanted) { return std::max<int64_t>(wanted.duration_ns, 0); }
uint32_t FeaturesOf(const HandoverParameters& wanted) { return AdjustFeatures(wanted.features) & kBaseFeatures; }

void TakeFilter(const HandoverParameters& wanted, ThreadFilter& filter) {
  filter.Clear();
  for (uint32_t i = 0; i < wanted.filter_count; ++i) (void)filter.Add(wanted.filters[i]);
}

}  // namespace

void TakeWanted(const HandoverParameters& wanted, StartParameters& parameters) {
  parameters.capacity_bytes = CapacityOf(wanted);
  parameters.interval_ns = IntervalOf(wanted);
  parameters.duration_ns = DurationOf(wanted);
  parameters.features = FeaturesOf(wanted);
  parameters.requested_features = wanted.requested_features;
  TakeFilter(wanted, parameters.filter);
}

ThreadFilter FilterOf(const HandoverParameters& wanted) {
  ThreadFilter filter;
  TakeFilter(wanted, filter);
  return filter;
}

bool IsKeptAs(const HandoverParameters& wanted, const StartParameters& kept) {
  if (CapacityOf(wanted) != kept.capacity_bytes || IntervalOf(wanted) != kept.interval_ns ||
      DurationOf(wanted) != kept.duration_ns || FeaturesOf(wanted) != kept.features) {
    return false;
  }
  const ThreadFilter filter = FilterOf(wanted);
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
