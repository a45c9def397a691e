#ifndef GECKOPROF_GECKOPROFILER_CORE_FEATURE_REQUEST_H_
#define GECKOPROF_GECKOPROFILER_CORE_FEATURE_REQUEST_H_

#include <cstdint>
#include <vector>

#include "geckoprofiler/profiler_features.h"

namespace geckoprof {

// What becomes of the features that a caller asked for.
struct FeatureRequest {
  uint32_t asked = 0;    // with those that others imply, and the default ones where nothing was asked for
  uint32_t granted = 0;  // that will be on
  std::vector<FeatureRefusal> refusals;
};

// Settles implications (fileioall -> fileio -> mainthreadio, cpuallthreads -> cpu, nostacksampling -> no stackwalk) and
// separates what exists from what does not. A feature that was cancelled by another is no refusal; one that was implied
// by a refused one is granted if it exists. A refused one cancels nothing: tracing, which takes stacks and cpu away in
// the original, does not exist here.
FeatureRequest SettleFeatures(uint32_t features);

uint32_t AvailableFeatures();

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_FEATURE_REQUEST_H_
