// baseprofiler/label_abi.h.
#include "baseprofiler/label_abi.h"

#include <cstddef>

#include "baseprofiler/c/geckoprof_labels.h"
#include "geckoprof/labels/category_numbers.h"
#include "geckoprof/labels/profiling_stack.h"
#include "labels/dead_labels.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

static_assert(sizeof(geckoprof_label_frame) == sizeof(LabelFrame) &&
              offsetof(geckoprof_label_frame, stack_address) == offsetof(LabelFrame, stack_address) &&
              offsetof(geckoprof_label_frame, category_pair) == offsetof(LabelFrame, category_pair) &&
              offsetof(geckoprof_label_frame, origin) == offsetof(LabelFrame, origin));
static_assert(sizeof(geckoprof_label_stack) == sizeof(LabelFrame) &&
              offsetof(geckoprof_label_stack, sentinel) == offsetof(LabelFrame, stack_address));

ProfilingStack& StackAt(geckoprof_label_stack* stack) { return *reinterpret_cast<ProfilingStack*>(stack); }

uint32_t Push(ProfilingStack& labels, const char* label, const char* dynamic, uint32_t category_pair,
              const geckoprof_label_scope& scope) {
  DropDeadLabels(labels, scope);
  return labels.Push(label, dynamic, category_pair, reinterpret_cast<const void*>(scope.stack_pointer), scope.origin);
}

// What label_enter answers: the stack, and in the bits that no address of a program has, 1 more than the depth.
constexpr int kDepthShift = 52;
constexpr uint64_t kMostDepth = (uint64_t{1} << (64 - kDepthShift)) - 2;

void* Entered(ProfilingStack* labels, uint32_t depth) {
  const uint64_t tag = depth <= kMostDepth ? depth + 1 : 0;
  return reinterpret_cast<void*>(reinterpret_cast<uint64_t>(labels) | tag << kDepthShift);
}

void* Enter(const char* label, const char* dynamic, uint32_t category_pair, const geckoprof_label_scope& scope) {
  ThreadSlot* const slot = RecordingState::Get().slots().Current();
  if (slot == nullptr) return nullptr;
  return Entered(&slot->labels, Push(slot->labels, label, dynamic, PlausibleCategoryPair(category_pair), scope));
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT geckoprof_label_stack* geckoprof_base_label_stack(void) {
  geckoprof::ThreadSlot* const slot = geckoprof::RecordingState::Get().slots().Current();
  return slot == nullptr ? nullptr : reinterpret_cast<geckoprof_label_stack*>(&slot->labels);
}

GECKOPROF_EXPORT uint32_t geckoprof_base_label_push_slowly(geckoprof_label_stack* stack, const char* label,
                                                           const char* dynamic, uint32_t category_pair,
                                                           const geckoprof_label_scope* scope) {
  return geckoprof::Push(geckoprof::StackAt(stack), label, dynamic, category_pair, *scope);
}

GECKOPROF_EXPORT void geckoprof_base_label_pop_slowly(geckoprof_label_stack* stack, uint32_t depth) {
  geckoprof::StackAt(stack).PopTo(depth);
}

// The scope is somewhere in the caller's frame, or the caller's caller's: where that ends is not known.
GECKOPROF_EXPORT void* geckoprof_base_label_enter(const char* label, const char* dynamic, uint32_t category_pair,
                                                  void* scope) {
  geckoprof::DropOwnDeadLabels(geckoprof::CallerStackPointer());
  const auto place = reinterpret_cast<uintptr_t>(scope);
  return geckoprof::Enter(label, dynamic, category_pair, {place, place, 0, 0});
}

GECKOPROF_EXPORT void* geckoprof_base_label_open(const char* label, const char* dynamic, uint32_t category_pair,
                                                 const geckoprof_label_scope* scope) {
  return geckoprof::Enter(label, dynamic, category_pair, *scope);
}

GECKOPROF_EXPORT void geckoprof_base_label_leave(void* entered) {
  const auto value = reinterpret_cast<uint64_t>(entered);
  auto* const labels =
      reinterpret_cast<geckoprof::ProfilingStack*>(value & ((uint64_t{1} << geckoprof::kDepthShift) - 1));
  if (labels == nullptr) return;
  const auto tag = static_cast<uint32_t>(value >> geckoprof::kDepthShift);
  tag == 0 ? labels->Pop() : labels->PopTo(tag - 1);
}
