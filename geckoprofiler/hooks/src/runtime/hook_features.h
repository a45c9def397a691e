#ifndef GECKOPROF_HOOKS_RUNTIME_HOOK_FEATURES_H_
#define GECKOPROF_HOOKS_RUNTIME_HOOK_FEATURES_H_

#include <cstdint>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/config/start_features.h"

namespace geckoprof {

// Returns those of `features` that the present recording was asked for. Returns 0 while nothing is recorded. Each hook
// asks this first. It costs two loads.
//
// Threads: any. Context: any, signal context included.
inline uint32_t HookFeatures(uint32_t features) {
  return __atomic_load_n(&geckoprof_base_words_address()->features, __ATOMIC_RELAXED) & features;
}

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_HOOK_FEATURES_H_
