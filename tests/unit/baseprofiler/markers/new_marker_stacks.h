#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_NEW_MARKER_STACKS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_NEW_MARKER_STACKS_H_

#include <vector>

#include "markers/marker_stacks.h"

namespace geckoprof {

// The library's is never destroyed, nor are its buffers given back.
inline MarkerStacks& NewMarkerStacks() {
  static auto* const all = new std::vector<MarkerStacks*>();
  return *all->emplace_back(new MarkerStacks());
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_NEW_MARKER_STACKS_H_
