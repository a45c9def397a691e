// The features that do something. Their bits are Firefox's; those that are not listed here can be asked for, and are
// reported as not available, with the reason: to the caller (ProfilerStartResult) and in the profile, as a marker.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_FEATURES_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_FEATURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "geckoprofiler/profiler_result.h"

#pragma GCC visibility push(default)

struct ProfilerFeature {
  static constexpr uint32_t NoMarkerStacks = 1u << 5;    // markers capture no stacks
  static constexpr uint32_t StackWalk = 1u << 8;         // native stacks
  static constexpr uint32_t NoStackSampling = 1u << 10;  // neither stacks nor labels; cancels StackWalk
  static constexpr uint32_t CPUUtilization = 1u << 14;   // CPU time of each thread
  // Markers of threads too that the filters leave out. It is always so, whether asked for or not.
  static constexpr uint32_t MarkersAllThreads = 1u << 18;
  static constexpr uint32_t Flows = 1u << 27;  // all markers of flows: always, too

  static constexpr bool Has(uint32_t features, uint32_t feature) { return (features & feature) != 0; }
  static constexpr void Set(uint32_t& features, uint32_t feature) { features |= feature; }
  static constexpr void Clear(uint32_t& features, uint32_t feature) { features &= ~feature; }
};

namespace geckoprof {

// A feature that was asked for and cannot be had.
struct FeatureRefusal {
  uint32_t feature = 0;  // one bit
  std::string name;      // "memory"; "bit 30" where nothing is called so
  std::string reason;
};

// What a start came to. `outcome` is about the recording; a refused feature does not keep it from starting.
struct ProfilerStartResult {
  ProfilerOutcome outcome;
  uint32_t features = 0;  // that are on
  std::vector<FeatureRefusal> refusals;

  explicit operator bool() const { return static_cast<bool>(outcome); }
};

}  // namespace geckoprof

// The features that profiler_start can turn on.
uint32_t profiler_get_available_features();

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_FEATURES_H_
