#include "core/start_request.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_parameters.h"

namespace geckoprof {
namespace {

static_assert(ProfilerFeature::StackWalk == kFeatureStackWalk && ProfilerFeature::CPUUtilization == kFeatureCpu &&
              ProfilerFeature::NoStackSampling == kFeatureNoStackSampling &&
              ProfilerFeature::NoMarkerStacks == kFeatureNoMarkerStacks &&
              ProfilerFeature::MarkersAllThreads == kFeatureMarkersAllThreads &&
              ProfilerFeature::Flows == kFeatureFlows);

constexpr char kBrowser[] = "it is about a browser, and this library is in none";
constexpr char kNotYet[] = "this version of the library does not have it";
constexpr char kWindows[] = "it exists on Windows only";
constexpr char kAndroid[] = "it exists on Android only";

// By bit. Empty: the feature exists.
constexpr std::array<const char*, kFeatureBitCount> kReasons = {
    kAndroid,  // java
    kBrowser,  // js
    kNotYet,   // mainthreadio
    kNotYet,   // fileio
    kNotYet,   // fileioall
    "",        // nomarkerstacks
    kBrowser,  // screenshots
    kBrowser,  // seqstyle
    "",        // stackwalk
    kBrowser,  // jsallocations
    "",        // nostacksampling
    kNotYet,   // nativeallocations
    kBrowser,  // ipcmessages
    kBrowser,  // audiocallbacktracing
    "",        // cpu
    kWindows,  // notimerresolutionchange
    kNotYet,   // cpuallthreads
    kNotYet,   // samplingallthreads
    "",        // markersallthreads
    "threads that nobody registered are always sampled here: there is nothing to turn on",
    kNotYet,   // processcpu
    kNotYet,   // power
    kNotYet,   // cpufreq
    kNotYet,   // bandwidth
    kNotYet,   // memory
    kBrowser,  // tracing
    kBrowser,  // sandbox
    "",        // flows
    kBrowser,  // jssources
};

constexpr uint32_t AvailableBits() {
  uint32_t bits = 0;
  for (unsigned bit = 0; bit < kFeatureBitCount; ++bit) bits |= kReasons[bit][0] == 0 ? 1u << bit : 0;
  return bits;
}
static_assert(AvailableBits() == kBaseFeatures);

struct Implication {
  std::string_view feature, adds;
};
constexpr Implication kAdds[] = {{"fileioall", "fileio"}, {"fileio", "mainthreadio"}, {"cpuallthreads", "cpu"}};

uint32_t Implied(uint32_t features) {
  for (const Implication& implication : kAdds) {
    if ((features & FeatureBit(implication.feature)) != 0) features |= FeatureBit(implication.adds);
  }
  return features;
}

// Bits beyond those that have a name.
constexpr const char* kNumbers[] = {"bit 29", "bit 30", "bit 31"};
static_assert(kFeatureBitCount + std::size(kNumbers) == 32);

unsigned BitOf(uint32_t feature) { return static_cast<unsigned>(std::countr_zero(feature | 1u << 31)); }

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

FeatureRequest ResolveFeatures(uint32_t features) {
  FeatureRequest request;
  request.asked = Implied(features == 0 ? kDefaultFeatures : features);
  request.granted = AdjustFeatures(request.asked & AvailableBits());
  request.refused = request.asked & ~AvailableBits();
  return request;
}

const char* FeatureName(uint32_t feature) {
  const unsigned bit = BitOf(feature);
  return bit < kFeatureBitCount ? FeatureNames()[bit].data() : kNumbers[bit - kFeatureBitCount];
}

const char* FeatureRefusalReason(uint32_t feature) {
  const unsigned bit = BitOf(feature);
  return bit < kFeatureBitCount ? kReasons[bit] : "no feature has this number";
}

uint32_t AvailableFeatures() { return AvailableBits(); }

}  // namespace geckoprof
