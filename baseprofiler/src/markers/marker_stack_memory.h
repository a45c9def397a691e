#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_STACK_MEMORY_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_STACK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/unwinder.h"
#include "stacks/probed_stack_bounds.h"

namespace geckoprof {

// MarkerStackMemory: what a thread remembers of the stack of its last marker: how it was walked, and what was written
// for it. A marker in a loop has the same stack each time. And where its stack lies, if nobody else knows.
//
// Threads: one owner. Context: any; New maps memory.
class MarkerStackMemory {
 public:
  static constexpr size_t kMaxFrames = 128;
  static constexpr size_t kMaxBytes = 1024;

  // Null: the kernel gives no memory. Never given back: threads come and go, their slots are used again.
  static MarkerStackMemory* New();

  LastWalks& walks() { return walks_; }
  ProbedStackBounds& own_stack() { return own_stack_; }

  // Of another recording nothing counts: its sampler has rules of its own, and libraries may have changed unseen.
  // `serial`: the segment's.
  void BeginIn(uint32_t serial) {
    if (serial_ == serial) return;
    Forget();
    walks_.Forget();
    serial_ = serial;
  }

  // What was noted for these frames, if it was the last; else empty.
  std::span<const uint8_t> WrittenFor(std::span<const UnwoundFrame> frames) const {
    if (frames.size() != frame_count_) return {};
    uint64_t different = 0;
    for (size_t i = 0; i < frames.size(); ++i) different |= frames[i].address ^ addresses_[i];
    return different == 0 ? std::span<const uint8_t>(written_, byte_count_) : std::span<const uint8_t>();
  }
  // REQUIRES: kMaxFrames at most. More bytes than kMaxBytes are not kept.
  void Note(std::span<const UnwoundFrame> frames, std::span<const uint8_t> written);
  void Forget() { frame_count_ = 0; }
  // The same, and of the walks too: one may have been left in its middle.
  void Reset() {
    Forget();
    walks_.Discard();
  }

 private:
  MarkerStackMemory() : walks_(walked_, 1) {}

  LastWalks walks_;
  ProbedStackBounds own_stack_;
  uint32_t serial_ = 0;
  size_t frame_count_ = 0;
  size_t byte_count_ = 0;
  WalkedFrame walked_[2 * kMaxFrames];
  uint64_t addresses_[kMaxFrames];
  uint8_t written_[kMaxBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_STACK_MEMORY_H_
