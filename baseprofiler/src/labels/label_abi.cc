// baseprofiler/label_abi.h.
#include "baseprofiler/label_abi.h"

#include <cstddef>

#include "baseprofiler/base_profiler_abi.h"
#include "geckoprof/labels/category_numbers.h"
#include "geckoprof/labels/profiling_stack.h"
#include "labels/category_table.h"
#include "labels/stale_labels.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {
namespace {

static_assert(sizeof(geckoprof_label_frame) == sizeof(LabelFrame) &&
              offsetof(geckoprof_label_frame, stack_address) == offsetof(LabelFrame, stack_address) &&
              offsetof(geckoprof_label_frame, category_pair) == offsetof(LabelFrame, category_pair));
// The sentinel is the address of the frame before the first.
static_assert(sizeof(geckoprof_label_stack) - offsetof(geckoprof_label_stack, sentinel) ==
              sizeof(LabelFrame) - offsetof(LabelFrame, stack_address));

ProfilingStack& StackAt(geckoprof_label_stack* stack) { return *reinterpret_cast<ProfilingStack*>(stack); }

uint32_t Push(ProfilingStack& labels, const char* label, const char* dynamic, uint32_t category_pair,
              const void* stack_address, uintptr_t stack_pointer) {
  DropStaleLabels(labels, stack_pointer);
  return labels.Push(label, dynamic, category_pair, stack_address);
}

// The result of label_enter is the address of the stack. Its upper bits, which are 0 in any address, hold the depth
// plus 1.
constexpr int kDepthShift = 52;
constexpr uint64_t kMaxDepth = (uint64_t{1} << (64 - kDepthShift)) - 2;

void* Entered(ProfilingStack* labels, uint32_t depth) {
  const uint64_t tag = depth <= kMaxDepth ? depth + 1 : 0;
  return reinterpret_cast<void*>(reinterpret_cast<uint64_t>(labels) | tag << kDepthShift);
}

}  // namespace

void DropStaleLabels(ProfilingStack& labels, uintptr_t stack_pointer) {
  const uintptr_t innermost = labels.InnermostAddress();
  if (innermost >= stack_pointer) return;
  const ThreadSlot* const slot = ThreadSlots::Known();
  if (slot == nullptr || &slot->labels != &labels) return;
  const StackRange stale = RecordingState::Get().StackOf(*slot).Below(stack_pointer);
  if (stale.Contains(innermost) && !AlternateStack::Query().may_be_in_use) labels.DropStale(stale);
}

}  // namespace geckoprof

GECKOPROF_EXPORT geckoprof_label_stack* geckoprof_base_label_stack(void) {
  geckoprof::ThreadSlot* const slot = geckoprof::RecordingState::Get().slots().Current();
  return slot == nullptr ? nullptr : reinterpret_cast<geckoprof_label_stack*>(&slot->labels);
}

GECKOPROF_EXPORT uint32_t geckoprof_base_label_push_slowly(geckoprof_label_stack* stack, const char* label,
                                                           const char* dynamic, uint32_t category_pair,
                                                           const void* stack_pointer) {
  return geckoprof::Push(geckoprof::StackAt(stack), label, dynamic, category_pair, stack_pointer,
                         reinterpret_cast<uintptr_t>(stack_pointer));
}

GECKOPROF_EXPORT void geckoprof_base_label_pop_slowly(geckoprof_label_stack* stack, uint32_t depth) {
  geckoprof::StackAt(stack).PopTo(depth);
}

GECKOPROF_EXPORT void* geckoprof_base_label_enter(const char* label, const char* dynamic, uint32_t category_pair,
                                                  const void* scope) {
  using namespace geckoprof;
  ThreadSlot* const slot = RecordingState::Get().slots().Current();
  if (slot == nullptr) return nullptr;
  const uint32_t pair = PlausibleCategoryPair(category_pair);
  return Entered(&slot->labels, Push(slot->labels, label, dynamic, pair, scope, CallerStackPointer()));
}

GECKOPROF_EXPORT void geckoprof_base_label_leave(void* entered) {
  const auto value = reinterpret_cast<uint64_t>(entered);
  auto* const labels =
      reinterpret_cast<geckoprof::ProfilingStack*>(value & ((uint64_t{1} << geckoprof::kDepthShift) - 1));
  if (labels == nullptr) return;
  const auto tag = static_cast<uint32_t>(value >> geckoprof::kDepthShift);
  tag == 0 ? labels->Pop() : labels->PopTo(tag - 1);
}

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

namespace geckoprof {
namespace {

int WriteToRecording(geckoprof_category_result result) {
  if (const Segment* const segment = RecordingState::Get().SegmentOfRecording()) CategoryTable::Get().WriteTo(*segment);
  return result;
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int geckoprof_base_add_category(const char* name, const char* color, uint32_t* pair) {
  uint32_t unwanted = 0;
  return geckoprof::WriteToRecording(
      geckoprof::CategoryTable::Get().Add(name, color, pair != nullptr ? *pair : unwanted));
}

GECKOPROF_EXPORT int geckoprof_base_add_subcategory(uint32_t category_pair, const char* name, uint32_t* pair) {
  uint32_t unwanted = 0;
  return geckoprof::WriteToRecording(
      geckoprof::CategoryTable::Get().AddSubcategory(category_pair, name, pair != nullptr ? *pair : unwanted));
}
