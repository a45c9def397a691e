// Feature names and bits. The numbering is Firefox's, so a bit field means the same in both products.
//
// Base acts on some features itself. It keeps the other ones for the full library and reports that they need it, so
// that they do not count as misspelt.
//
// Threads: any.
// Context: any.
#ifndef GECKOPROF_CONFIG_START_FEATURES_H_
#define GECKOPROF_CONFIG_START_FEATURES_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace geckoprof {

inline constexpr uint32_t kFeatureNoMarkerStacks = 1u << 5;    // markers have no stacks
inline constexpr uint32_t kFeatureStackWalk = 1u << 8;         // samples have native stacks
inline constexpr uint32_t kFeatureNoStackSampling = 1u << 10;  // samples have no stacks and no labels
inline constexpr uint32_t kFeatureCpu = 1u << 14;              // samples have CPU time deltas

// Markers of threads that the filters exclude, and all markers of flows. They are always recorded, so these bits have
// no effect.
inline constexpr uint32_t kFeatureMarkersAllThreads = 1u << 18;
inline constexpr uint32_t kFeatureFlows = 1u << 27;

inline constexpr uint32_t kBaseFeatures = kFeatureNoMarkerStacks | kFeatureStackWalk | kFeatureNoStackSampling |
                                          kFeatureCpu | kFeatureMarkersAllThreads | kFeatureFlows;
inline constexpr uint32_t kDefaultFeatures = kFeatureStackWalk | kFeatureCpu;
inline constexpr unsigned kFeatureBitCount = 29;
inline constexpr uint32_t kKnownFeatures = (1u << kFeatureBitCount) - 1;

// The kFeatureBitCount names, in the order of their bits.
std::span<const std::string_view> FeatureNames();

// Returns the bit of the feature with exactly this name, or 0. "default" is not a feature.
uint32_t FeatureBit(std::string_view name);

// Resolves conflicts between features. nostacksampling cancels stackwalk.
constexpr uint32_t AdjustFeatures(uint32_t features) {
  return (features & kFeatureNoStackSampling) != 0 ? features & ~kFeatureStackWalk : features;
}

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_FEATURES_H_
