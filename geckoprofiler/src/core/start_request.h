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
  uint32_t asked = 0;    // with implied features, and with the default ones if none was requested
  uint32_t granted = 0;  // will be on
  uint32_t refused = 0;  // do not exist, or not here
};

// Resolves implications (fileioall -> fileio -> mainthreadio, cpuallthreads -> cpu, nostacksampling -> no stackwalk)
// and separates available features from others. A feature that another one cancelled is no refusal. A feature that a
// refused one implies is granted if it exists. A refused feature cancels nothing.
FeatureRequest ResolveFeatures(uint32_t features);

// `feature` is one bit. The name is "bit 30", say, where no feature has this number. The reason says why this version
// refuses the feature, and is empty for one that it grants. Static.
const char* FeatureName(uint32_t feature);
const char* FeatureRefusalReason(uint32_t feature);

uint32_t AvailableFeatures();

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_
