#include "sampler/marker_stack_sampler.h"

#include <algorithm>

#include "geckoprof/base/clock.h"

namespace geckoprof {

void MarkerStackSampler::WritePending(bool native) {
  if (!shared_.AnyPublished()) return;
  now_ns_ = MonotonicNs();
  native_ = native;
  const auto take = [](void* self, uint64_t id, const CaptureBuffer& copy) {
    static_cast<MarkerStackSampler*>(self)->WriteOne(id, copy);
  };
  shared_.Drain(take, this);
}

// The copy is used only once. If it goes through a library that was loaded since, the list of modules is read now.
void MarkerStackSampler::WriteOne(uint64_t id, const CaptureBuffer& copy) {
  if (IsBefore(list_reads_.back().unloads, copy.unloads)) ReadList();
  std::span<const StackFrame> stack = stacks_.FromMarker(copy, native_);
  if (modules_.is_wanted()) {
    ReadList();
    stack = stacks_.FromMarker(copy, native_);
  }
  const bool is_gone = modules_.is_wanted() && IsBefore(copy.unloads, list_reads_.back().unloads);
  if (native_ && (is_gone || UsesOtherModules(copy.unloads))) {
    stack = stacks_.OnlyLabels(copy, StackProblem::kUnloaded);
    segment_.CountDrop(DropReason::kMarkerStack);
  }
  samples_.AddMarkerStack(id, stack, now_ns_, {ChunkId::FromNumber(copy.marker_chunk), copy.marker_block});
}

// Returns true if a library was unloaded after the copy was made, and the stack goes through a library that may have
// taken its place.
bool MarkerStackSampler::UsesOtherModules(uint32_t unloads) const {
  const auto since =
      std::ranges::find_if(list_reads_, [unloads](const ListRead& read) { return IsBefore(unloads, read.unloads); });
  if (since == list_reads_.end()) return false;
  if (since == list_reads_.begin()) return true;  // the time of the first such read is forgotten
  return std::ranges::any_of(stacks_.native_frames(), [&](const UnwoundFrame& frame) {
    const Module* const module = modules_.table().Find(frame.address - 1);
    return module != nullptr && module->mapped_ns() >= since->time_ns;
  });
}

void MarkerStackSampler::ReadList() {
  const uint32_t unloads = unloads_.load(std::memory_order_acquire);
  modules_.Refresh(now_ns_);
  NoteRead(unloads);
}

void MarkerStackSampler::NoteRead(uint32_t unloads) {
  if (unloads == list_reads_.back().unloads) return;
  std::rotate(list_reads_.begin(), list_reads_.begin() + 1, list_reads_.end());
  list_reads_.back() = {unloads, modules_.last_read_ns()};
}

void MarkerStackSampler::ShareRules(uint32_t unloads) {
  stacks_.DropStaleRules();
  shared_.SetOwnCode(stacks_.OwnCode());
  if (modules_.is_stale()) return;
  NoteRead(unloads);
  shared_.SetRulesFor(unloads);
}

}  // namespace geckoprof
