#ifndef GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_
#define GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_

#include <cstdint>

#include "geckoprofiler/c/geckoprof_full.h"
#include "geckoprofiler/profiler_values.h"
#include "handover/base_link.h"

namespace geckoprof {

// Returns the parameters of a start, with defaults filled in and everything within its range. Two requests that mean
// the same are therefore equal. `features` stay the requested ones. Null pointers among the filters are left out.
//
// Threads: any. It allocates.
RecordingParameters MakeStartRequest(const geckoprof_start_parameters& asked);

// The features that a caller requested, by their result.
struct FeatureRequest {
  uint32_t asked = 0;    // with the default ones if none was requested
  uint32_t granted = 0;  // will be on
  uint32_t refused = 0;  // bits that nothing in this process has
};

// Returns the features that this process can have.
uint32_t AvailableFeatures();

// Returns the features that base and the hooks act on.
uint32_t FeaturesInForce(const HandoverParameters& parameters);

// Separates available features from others. A feature that another one cancelled (nostacksampling cancels stackwalk) is
// no refusal.
FeatureRequest ResolveFeatures(uint32_t features);

// `feature` is one bit. The name is "bit 24", say, where no feature has this number. The reason says why a start cannot
// turn the bit on. It is empty for an available feature. Both texts are static.
const char* FeatureName(uint32_t feature);
const char* FeatureRefusalReason(uint32_t feature);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_
