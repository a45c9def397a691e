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
inline constexpr uint32_t kFeatureMainThreadIo = 1u << 2;        // sums of file calls, slow ones of the main thread
inline constexpr uint32_t kFeatureFileIo = 1u << 3;              // and slow file calls of sampled threads
inline constexpr uint32_t kFeatureFileIoAll = 1u << 4;           // and slow file calls of all threads
inline constexpr uint32_t kFeatureNoMarkerStacks = 1u << 5;      // no stacks of markers
inline constexpr uint32_t kFeatureLibraries = 1u << 7;           // loads and unloads of libraries
inline constexpr uint32_t kFeatureStackWalk = 1u << 8;           // native stacks
inline constexpr uint32_t kFeatureNoStackSampling = 1u << 10;    // neither stacks nor labels (cancels stackwalk)
inline constexpr uint32_t kFeatureNativeAllocations = 1u << 11;  // samples of allocations, with stacks
inline constexpr uint32_t kFeatureCpu = 1u << 14;                // CPU time of each thread between its samples
inline constexpr uint32_t kFeatureMarkersAllThreads = 1u << 18;  // markers of excluded threads (always on)
inline constexpr uint32_t kFeaturePower = 1u << 21;              // energy of the machine (recorder only)
inline constexpr uint32_t kFeatureCpuFreq = 1u << 22;            // frequency of each core (recorder only)
inline constexpr uint32_t kFeatureNetIo = 1u << 23;              // totals of socket calls, and slow ones
inline constexpr uint32_t kFeatureMemory = 1u << 24;             // a counter of the bytes in allocated blocks
inline constexpr uint32_t kFeatureFlows = 1u << 27;              // all markers of flows (always on)
inline constexpr uint32_t kFeatureSystem = 1u << 29;             // pressure and network of the machine (recorder only)
inline constexpr uint32_t kFeatureLocks = 1u << 30;              // waits for locks and for other threads
inline constexpr uint32_t kFeatureResponsiveness = 1u << 31;     // how long event loops are blocked

inline constexpr uint32_t kBaseFeatures = 0x08044520;
inline constexpr uint32_t kHookFeatures = 0xc180089c;      // of libgeckoprofiler_hooks.so
inline constexpr uint32_t kRecorderFeatures = 0x20600000;  // of `geckoprof record`
inline constexpr uint32_t kKnownFeatures = 0xe9e44dbc;     // of all of them
inline constexpr uint32_t kDefaultFeatures = 0x00004100;

// clang-format off
inline constexpr Feature kFeatureList[] = {
    {kFeatureMainThreadIo, "mainthreadio"},
    {kFeatureFileIo, "fileio"},
    {kFeatureFileIoAll, "fileioall"},
    {kFeatureNoMarkerStacks, "nomarkerstacks"},
    {kFeatureLibraries, "libraries"},
    {kFeatureStackWalk, "stackwalk"},
    {kFeatureNoStackSampling, "nostacksampling"},
    {kFeatureNativeAllocations, "nativeallocations"},
    {kFeatureCpu, "cpu"},
    {kFeatureMarkersAllThreads, "markersallthreads"},
    {kFeaturePower, "power"},
    {kFeatureCpuFreq, "cpufreq"},
    {kFeatureNetIo, "netio"},
    {kFeatureMemory, "memory"},
    {kFeatureFlows, "flows"},
    {kFeatureSystem, "system"},
    {kFeatureLocks, "locks"},
    {kFeatureResponsiveness, "responsiveness"},
};
// clang-format on
// [/features]

// A library can be asked for these.
inline constexpr uint32_t kLibraryFeatures = kKnownFeatures & ~kRecorderFeatures;

// Returns the bit of the feature with exactly this name, or 0. "default" is not a feature.
constexpr uint32_t FeatureBit(std::string_view name) {
  for (const Feature& feature : kFeatureList) {
    if (feature.name == name) return feature.bit;
  }
  return 0;
}

// Resolves conflicts between features, and adds those that others include. Hooks record stacks, so their features imply
// stackwalk. nostacksampling cancels it. fileioall includes fileio, which includes mainthreadio.
constexpr uint32_t AdjustFeatures(uint32_t features) {
  if ((features & kHookFeatures) != 0) features |= kFeatureStackWalk;
  if ((features & kFeatureNoStackSampling) != 0) features &= ~kFeatureStackWalk;
  if ((features & kFeatureFileIoAll) != 0) features |= kFeatureFileIo;
  return (features & kFeatureFileIo) != 0 ? features | kFeatureMainThreadIo : features;
}

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_FEATURES_H_
