#ifndef GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_
#define GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/rule_walk.h"
#include "markers/marker_stack_memory.h"
#include "markers/pending_marker_stacks.h"

namespace geckoprof {

// CapturedStack: the stack of a marker that is being made, as it goes into its entry (entry_format.h).
//
// The object takes 2 KiB of the marking thread's stack, and 2.5 KiB more during a capture.
// Threads: one. Context: any.
class CapturedStack {
 public:
  // The facts about the calling thread.
  struct Thread {
    int32_t tid;
    StackRange stack;  // {0, 0}: unknown
    const ProfilingStack& labels;
    uint32_t unloads;                           // the number of library unloads so far
    const std::atomic<uint32_t>& sampler_word;  // the futex of the sampler
    MarkerStackMemory* memory;                  // or null
    uint32_t skipped_frames = 0;                // innermost ones, of no interest
  };

  explicit CapturedStack(PendingMarkerStacks& stacks) : stacks_(stacks) {}

  // Captures the stack of the calling thread, from `caller` outwards. Returns false if outer frames are missing. The
  // caller counts that.
  bool Capture(const Thread& thread, const CallerFrame& caller, bool native);
  // Takes a stack that was captured before. Returns false if outer frames found no room. The caller counts that.
  bool Capture(const geckoprof_stack& stack);

  // The number of open labels that are not shown, past the limits of samples or for want of room. The caller counts
  // them.
  uint32_t labels_missing() const { return labels_missing_; }

  // Empty: there is no stack.
  std::span<const uint8_t> bytes() const { return {room_, used_}; }

 private:
  static constexpr size_t kMaxBytes = 2048;
  static constexpr int kMaxTries = 4;
  // The sampler unwinds deeper stacks.
  static constexpr size_t kMaxFrames = MarkerStackMemory::kMaxFrames;

  // MergeLabels describes both.
  struct Outside {
    StackRange outer = {0, 0};
    uint64_t missing_from = UINT64_MAX;
  };
  bool EncodeComplete(std::span<const UnwoundFrame> native, const Thread& thread, const Outside& outside);
  bool Encode(std::span<const UnwoundFrame> native, const ProfilingStack& labels, StackProblem problem,
              const Outside& outside);
  // Leaves the stack to the sampler. If the thread runs on another stack than its own, that stack is mapped up to
  // `elsewhere_to`. Otherwise it is 0.
  bool Defer(const Thread& thread, uint64_t elsewhere_to);

  PendingMarkerStacks& stacks_;
  StackRange stale_ = {0, 0};  // The part of the thread's stack where no label is open.
  uint32_t labels_missing_ = 0;
  size_t used_ = 0;
  uint8_t room_[kMaxBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_
