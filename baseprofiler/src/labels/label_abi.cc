// baseprofiler/label_abi.h.
#include "baseprofiler/label_abi.h"

#include <cstddef>

#include "core/exported_function.h"
#include "core/profiler_core.h"
#include "geckoprof/labels/profiling_stack.h"
#include "labels/dead_labels.h"

namespace geckoprof {
namespace {

static_assert(sizeof(geckoprof_label_frame) == sizeof(LabelFrame) &&
              offsetof(geckoprof_label_frame, stack_address) == offsetof(LabelFrame, stack_address) &&
              offsetof(geckoprof_label_frame, category_pair) == offsetof(LabelFrame, category_pair));
static_assert(sizeof(geckoprof_label_stack) == sizeof(LabelFrame) &&
              offsetof(geckoprof_label_stack, sentinel) == offsetof(LabelFrame, stack_address));

ProfilingStack& StackAt(geckoprof_label_stack* stack) { return *reinterpret_cast<ProfilingStack*>(stack); }

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT geckoprof_label_stack* geckoprof_base_label_stack(void) {
  geckoprof::ThreadSlot* const slot = geckoprof::ProfilerCore::Get().slots().Current();
  return slot == nullptr ? nullptr : reinterpret_cast<geckoprof_label_stack*>(&slot->labels);
}

GECKOPROF_EXPORT uint32_t geckoprof_base_label_push_slowly(geckoprof_label_stack* stack, const char* label,
                                                           const char* dynamic, uint32_t category_pair,
                                                           const void* scope) {
  geckoprof::DropDeadLabels(geckoprof::StackAt(stack), reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()));
  return geckoprof::StackAt(stack).Push(label, dynamic, category_pair, scope);
}

GECKOPROF_EXPORT void geckoprof_base_label_pop_slowly(geckoprof_label_stack* stack, uint32_t depth) {
  geckoprof::StackAt(stack).PopTo(depth);
}
