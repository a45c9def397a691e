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
// On the marking thread's own stack it takes 2 KiB, and while one is captured 2.5 KiB more. Threads: one. Context: any.
class CapturedStack {
 public:
  // What is known of the calling thread.
  struct Thread {
    int32_t tid;
    StackRange stack;  // {0, 0}: unknown
    const ProfilingStack& labels;
    uint32_t unloads;                           // of libraries, so far
    const std::atomic<uint32_t>& sampler_word;  // that the sampler sleeps on
    MarkerStackMemory* memory;                  // or null
    uint32_t skipped_frames = 0;                // innermost ones, of no interest
  };

  explicit CapturedStack(PendingMarkerStacks& stacks) : stacks_(stacks) {}

  // Captures the calling thread's, from `caller` outwards. False: outer frames are missing; count it.
  bool Capture(const Thread& thread, const CallerFrame& caller, bool native);
  // Takes one that was captured before. False: outer frames were left out, for want of room; count it.
  bool Take(const geckoprof_stack& stack);

  // Of those that were open, past the limits of samples or what there is room for; count them.
  uint32_t labels_missing() const { return labels_missing_; }

  // Empty: there is none.
  std::span<const uint8_t> bytes() const { return {room_, used_}; }

 private:
  static constexpr size_t kMostBytes = 2048;
  static constexpr int kMostTries = 4;
  // A deeper stack goes the long way.
  static constexpr size_t kMostFrames = MarkerStackMemory::kMostFrames;

  // As for MergeLabels.
  struct Outside {
    StackRange outer = {0, 0};
    uint64_t missing_from = UINT64_MAX;
  };
  static ProfilingStack::DeadRange DeadFor(uint64_t sp, const Thread& thread);
  bool EncodeWhole(std::span<const UnwoundFrame> native, const Thread& thread, const Outside& outside);
  bool Encode(std::span<const UnwoundFrame> native, const ProfilingStack& labels, StackProblem problem,
              const Outside& outside);
  // `elsewhere_to`: the thread is on another stack than its own, which is there up to here. 0: it is not.
  bool Defer(const Thread& thread, uint64_t elsewhere_to);

  PendingMarkerStacks& stacks_;
  ProfilingStack::DeadRange dead_;  // of the calling thread's stack
  uint32_t labels_missing_ = 0;
  size_t used_ = 0;
  uint8_t room_[kMostBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_
