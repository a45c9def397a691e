// The features that a recording can have. Bits are Firefox's, so a bit field means the same in both products.
//
// Threads: any.
// Context: any.
#ifndef GECKOPROF_CONFIG_START_FEATURES_H_
#define GECKOPROF_CONFIG_START_FEATURES_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

struct Feature {
  uint32_t bit;
  std::string_view name;
};

// [features] tools/build_lists writes these lines from common/lists/features.json.
inline constexpr uint32_t kFeatureNoMarkerStacks = 1u << 5;      // no stacks of markers
inline constexpr uint32_t kFeatureStackWalk = 1u << 8;           // native stacks
inline constexpr uint32_t kFeatureNoStackSampling = 1u << 10;    // neither stacks nor labels (cancels stackwalk)
inline constexpr uint32_t kFeatureCpu = 1u << 14;                // CPU time of each thread between its samples
inline constexpr uint32_t kFeatureMarkersAllThreads = 1u << 18;  // markers of excluded threads (always on)
inline constexpr uint32_t kFeatureFlows = 1u << 27;              // all markers of flows (always on)

inline constexpr uint32_t kBaseFeatures = 0x08044520;
inline constexpr uint32_t kKnownFeatures = 0x08044520;  // with those of the full library
inline constexpr uint32_t kDefaultFeatures = 0x00004100;

// clang-format off
inline constexpr Feature kFeatureList[] = {
    {kFeatureNoMarkerStacks, "nomarkerstacks"},
    {kFeatureStackWalk, "stackwalk"},
    {kFeatureNoStackSampling, "nostacksampling"},
    {kFeatureCpu, "cpu"},
    {kFeatureMarkersAllThreads, "markersallthreads"},
    {kFeatureFlows, "flows"},
};
// clang-format on
// [/features]

// Returns the bit of the feature with exactly this name, or 0. "default" is not a feature.
constexpr uint32_t FeatureBit(std::string_view name) {
  for (const Feature& feature : kFeatureList) {
    if (feature.name == name) return feature.bit;
  }
  return 0;
}

// Resolves conflicts between features. nostacksampling cancels stackwalk.
constexpr uint32_t AdjustFeatures(uint32_t features) {
  return (features & kFeatureNoStackSampling) != 0 ? features & ~kFeatureStackWalk : features;
}

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_FEATURES_H_
