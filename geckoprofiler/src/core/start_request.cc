#include "core/start_request.h"

#include <algorithm>
#include <bit>

#include "geckoprof/config/start_parameters.h"

namespace geckoprof {
namespace {

// To the nearest in the range; what is no number, or not above 0, gives `otherwise`.
int64_t ToNs(double value, double unit_ns, int64_t low_ns, int64_t high_ns, int64_t otherwise) {
  if (!(value > 0)) return otherwise;
  const double ns = value * unit_ns;
  if (ns >= static_cast<double>(high_ns)) return high_ns;
  return std::max(low_ns, static_cast<int64_t>(ns + 0.5));
}

uint64_t ToCapacityBytes(uint32_t entries) {
  if (entries == 0) return kDefaultCapacityBytes;
  return std::clamp(std::bit_ceil(uint64_t{entries}) * kBytesPerEntry, kMinCapacityBytes, kMaxCapacityBytes);
}

}  // namespace

RecordingParameters MakeStartRequest(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                     const char* const* filters, uint32_t filter_count,
                                     std::optional<double> duration_s) {
  RecordingParameters out;
  out.capacity_bytes = ToCapacityBytes(capacity_entries);
  out.interval_ns = ToNs(interval_ms, 1e6, kMinIntervalNs, kMaxIntervalNs, kDefaultIntervalNs);
  out.duration_ns = ToNs(duration_s.value_or(0), 1e9, 1, kMaxDurationNs, 0);
  out.features = features;
  for (uint32_t i = 0; filters != nullptr && i < filter_count; ++i) {
    if (filters[i] != nullptr) out.filters.emplace_back(filters[i]);
  }
  return out;
}

}  // namespace geckoprof
