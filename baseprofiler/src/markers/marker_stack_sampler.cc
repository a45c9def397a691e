#include "markers/marker_stack_sampler.h"

#include "geckoprof/base/clock.h"

namespace geckoprof {

void MarkerStackSampler::Take(bool native) {
  if (!shared_.AnyPublished()) return;
  now_ns_ = MonotonicNs();
  native_ = native;
  const auto take = [](void* self, uint64_t id, const CaptureBuffer& copy) {
    static_cast<MarkerStackSampler*>(self)->TakeOne(id, copy);
  };
  shared_.Drain(take, this);
}

// Nobody will look at the copy again: where it goes through a library that was loaded since, the list is read now.
void MarkerStackSampler::TakeOne(uint64_t id, const CaptureBuffer& copy) {
  std::span<const StackFrame> stack = stacks_.FromMarker(copy, native_);
  if (modules_.is_wanted()) {
    if (modules_.Refresh(now_ns_)) samples_.EndChunk();
    stack = stacks_.FromMarker(copy, native_);
  }
  samples_.AddMarkerStack(id, stack, now_ns_);
}

void MarkerStackSampler::ShareRules(uint32_t unloads) {
  stacks_.DropStaleRules();
  shared_.SetOwnCode(stacks_.OwnCode());
  if (!modules_.is_wanted()) shared_.SetRulesFor(unloads);
}

}  // namespace geckoprof
