#include "core/start_request.h"

#include <algorithm>
#include <bit>

#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_parameters.h"
#include "runtime/hooks_link.h"

namespace geckoprof {
namespace {

// Names of bits that no feature has.
constexpr const char* kBitNames[] = {"bit 0",  "bit 1",  "bit 2",  "bit 3",  "bit 4",  "bit 5",  "bit 6",  "bit 7",
                                     "bit 8",  "bit 9",  "bit 10", "bit 11", "bit 12", "bit 13", "bit 14", "bit 15",
                                     "bit 16", "bit 17", "bit 18", "bit 19", "bit 20", "bit 21", "bit 22", "bit 23",
                                     "bit 24", "bit 25", "bit 26", "bit 27", "bit 28", "bit 29", "bit 30", "bit 31"};

}  // namespace

RecordingParameters MakeStartRequest(const geckoprof_start_parameters& asked) {
  RecordingParameters out;
  out.capacity_bytes = kDefaultCapacityBytes;
  if (asked.capacity_bytes != 0) {
    out.capacity_bytes = std::bit_ceil(std::clamp(asked.capacity_bytes, kMinCapacityBytes, kMaxCapacityBytes));
  }
  out.interval_ns = kDefaultIntervalNs;
  if (asked.interval_ns > 0) out.interval_ns = std::clamp(asked.interval_ns, kMinIntervalNs, kMaxIntervalNs);
  out.duration_ns = std::clamp(asked.duration_ns, int64_t{0}, kMaxDurationNs);
  out.features = asked.features;
  for (uint32_t i = 0; asked.filters != nullptr && i < asked.filter_count; ++i) {
    if (asked.filters[i] != nullptr) out.filters.emplace_back(asked.filters[i]);
  }
  return out;
}

uint32_t AvailableFeatures() { return (kLibraryFeatures & ~kHookFeatures) | (kHookFeatures & HooksLink::Features()); }

uint32_t FeaturesInForce(const HandoverParameters& parameters) {
  return parameters.features | (parameters.requested_features & kHookFeatures & HooksLink::Features());
}

FeatureRequest ResolveFeatures(uint32_t features) {
  FeatureRequest request;
  request.asked = features == 0 ? kDefaultFeatures : features;
  const uint32_t available = AvailableFeatures();
  request.granted = AdjustFeatures(request.asked & available);
  request.refused = request.asked & ~available;
  return request;
}

const char* FeatureName(uint32_t feature) {
  for (const Feature& known : kFeatureList) {
    if (known.bit == feature) return known.name.data();
  }
  return kBitNames[std::countr_zero(feature | 1u << 31)];
}

const char* FeatureRefusalReason(uint32_t feature) {
  if ((feature & AvailableFeatures()) != 0) return "";
  if ((feature & kRecorderFeatures) != 0) return "only `geckoprof record` has it";
  return (feature & kHookFeatures) != 0 ? "libgeckoprofiler_hooks.so is not in this process"
                                        : "no feature has this number";
}

}  // namespace geckoprof
