// The labels of base_profiler_abi.h.
#include "baseprofiler/base_profiler_abi.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

using geckoprof::RecordingState;
using geckoprof::ThreadSlot;

GECKOPROF_EXPORT uint32_t geckoprof_base_label_depth(void) {
  const ThreadSlot* const slot = RecordingState::Get().slots().Current();
  return slot == nullptr ? 0 : slot->labels.depth();
}

GECKOPROF_EXPORT void geckoprof_base_label_cut(uint32_t depth) {
  ThreadSlot* const slot = RecordingState::Get().slots().Current();
  if (slot != nullptr) slot->labels.PopTo(depth);
}
