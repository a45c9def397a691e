#include "core/feature_request.h"

#include <array>
#include <string>
#include <string_view>

#include "geckoprof/config/start_features.h"

namespace geckoprof {
namespace {

static_assert(ProfilerFeature::StackWalk == kFeatureStackWalk && ProfilerFeature::CPUUtilization == kFeatureCpu &&
              ProfilerFeature::NoStackSampling == kFeatureNoStackSampling &&
              ProfilerFeature::NoMarkerStacks == kFeatureNoMarkerStacks &&
              ProfilerFeature::MarkersAllThreads == kFeatureMarkersAllThreads &&
              ProfilerFeature::Flows == kFeatureFlows);

constexpr std::string_view kBrowser = "it is about a browser, and this library is in none";
constexpr std::string_view kNotYet = "this version of the library does not have it";
constexpr std::string_view kWindows = "it exists on Windows only";
constexpr std::string_view kAndroid = "it exists on Android only";

// By bit; empty: it exists.
constexpr std::array<std::string_view, kFeatureBitCount> kReasons = {
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
  for (unsigned bit = 0; bit < kFeatureBitCount; ++bit) bits |= kReasons[bit].empty() ? 1u << bit : 0;
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

}  // namespace

uint32_t AvailableFeatures() { return AvailableBits(); }

FeatureRequest SettleFeatures(uint32_t features) {
  FeatureRequest request;
  request.asked = Implied(features == 0 ? kDefaultFeatures : features);
  request.granted = AdjustFeatures(request.asked & AvailableBits());
  for (unsigned bit = 0; bit < 32; ++bit) {
    const uint32_t feature = 1u << bit;
    if ((request.asked & feature) == 0 || (AvailableBits() & feature) != 0) continue;
    const bool known = bit < kFeatureBitCount;
    request.refusals.push_back({feature, known ? std::string(FeatureNames()[bit]) : "bit " + std::to_string(bit),
                                known ? std::string(kReasons[bit]) : "no feature has this number"});
  }
  return request;
}

}  // namespace geckoprof
