#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_NEW_PENDING_MARKER_STACKS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_NEW_PENDING_MARKER_STACKS_H_

#include <vector>

#include "markers/pending_marker_stacks.h"

namespace geckoprof {

// The library's is never destroyed, nor are its buffers given back.
inline PendingMarkerStacks& NewMarkerStacks() {
  static auto* const all = new std::vector<PendingMarkerStacks*>();
  return *all->emplace_back(new PendingMarkerStacks());
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_NEW_PENDING_MARKER_STACKS_H_
