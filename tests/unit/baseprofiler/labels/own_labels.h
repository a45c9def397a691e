#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_LABELS_OWN_LABELS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_LABELS_OWN_LABELS_H_

#include <string>

#include "core/profiler_core.h"
#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

// The labels that are open on the calling thread, which has some.
inline const ProfilingStack& OwnLabels() { return RecordingState::Get().slots().Current()->labels; }

// Each with a space after it, outermost first.
inline std::string Texts() {
  std::string texts;
  const ProfilingStack& labels = OwnLabels();
  for (uint32_t i = 0; i < labels.depth() && i < ProfilingStack::kCapacity; ++i) {
    const LabelFrame& frame = labels.frame(i);
    texts += std::string(frame.label) + (frame.dynamic != nullptr ? std::string("(") + frame.dynamic + ")" : "") + " ";
  }
  return texts;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_LABELS_OWN_LABELS_H_
