// Feature names and bits. The numbering is Firefox's, so that a bit field means the same here and there.
//
// Base itself acts on some of them. The others are known, so that a list that asks for one is not called misspelt: it
// is kept (requested), and reported as needing the full library. Threads and context: any.
#ifndef GECKOPROF_CONFIG_START_FEATURES_H_
#define GECKOPROF_CONFIG_START_FEATURES_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace geckoprof {

inline constexpr uint32_t kFeatureNoMarkerStacks = 1u << 5;    // markers capture no stacks
inline constexpr uint32_t kFeatureStackWalk = 1u << 8;         // native stacks
inline constexpr uint32_t kFeatureNoStackSampling = 1u << 10;  // no stacks and no labels in samples
inline constexpr uint32_t kFeatureCpu = 1u << 14;              // CPU time a thread used between its samples

// Markers of threads too that the filters leave out, and all markers of flows. It is always so: nothing is done for
// them.
inline constexpr uint32_t kFeatureMarkersAllThreads = 1u << 18;
inline constexpr uint32_t kFeatureFlows = 1u << 27;

inline constexpr uint32_t kBaseFeatures = kFeatureNoMarkerStacks | kFeatureStackWalk | kFeatureNoStackSampling |
                                          kFeatureCpu | kFeatureMarkersAllThreads | kFeatureFlows;
inline constexpr uint32_t kDefaultFeatures = kFeatureStackWalk | kFeatureCpu;
inline constexpr unsigned kFeatureBitCount = 29;
inline constexpr uint32_t kKnownFeatures = (1u << kFeatureBitCount) - 1;

// Names in the order of their bits, kFeatureBitCount of them.
std::span<const std::string_view> FeatureNames();

// The bit of a name, exactly as written; 0 if no feature is called so. "default" is not a feature.
uint32_t FeatureBit(std::string_view name);

// What is left when features that exclude one another are settled: nostacksampling cancels stackwalk.
constexpr uint32_t AdjustFeatures(uint32_t features) {
  return (features & kFeatureNoStackSampling) != 0 ? features & ~kFeatureStackWalk : features;
}

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_FEATURES_H_
