#ifndef GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_
#define GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/rule_walk.h"
#include "geckoprof/unwind/unwinder.h"
#include "markers/pending_marker_stacks.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {

// MarkerStackMemory holds the stack of a thread's last marker: the steps of its walk, and its frames as they were
// written. The next marker mostly has the same outer frames. It also holds the bounds of the thread's stack if
// they are not known otherwise.
//
//   last stack:  main | run | visit | malloc      written_: ....... .... ..... ...
//   this one:    main | run | visit | free        the bytes of three frames stay, and one frame is written
//
// Threads: one owner. Context: any. New maps memory.
class MarkerStackMemory {
 public:
  static constexpr size_t kMaxFrames = 128;
  static constexpr size_t kMaxBytes = 1024;

  // Returns null if the kernel provides no memory. The memory is never freed, because the slots of ended threads are
  // used again.
  static MarkerStackMemory* New();

  LastWalks& walks() { return walks_; }
  ProbedStackBounds& own_stack() { return own_stack_; }

  // Forgets the data of another recording. Its sampler has other rules, and libraries may have changed in the meantime.
  // `serial` is the segment's.
  void BeginIn(uint32_t serial) {
    if (serial_ == serial) return;
    Forget();
    walks_.Forget();
    serial_ = serial;
  }

  // The frames of a whole stack in the form of a marker's entry, without their number.
  struct Written {
    size_t frame_count = 0;  // of those that are shown
    std::span<const uint8_t> bytes;
  };
  // Writes the frames, innermost first in `frames`. It leaves out addresses in `own`. Returns nothing if
  // there are more than kMaxBytes bytes. REQUIRES: at most kMaxFrames. The next call changes the bytes.
  std::optional<Written> Write(std::span<const UnwoundFrame> frames, const AddressRange& own);
  // The number of frames that are known.
  size_t frame_count() const { return frame_count_; }
  void Forget() { frame_count_ = 0; }
  // Forgets the walks too, because one may have been abandoned halfway.
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
  WalkedFrame walked_[2 * kMaxFrames];
  struct Frame {
    uint64_t address;
    uint32_t shown;  // the number of shown frames up to this one
    uint32_t bytes;  // of theirs
  };
  Frame frames_[kMaxFrames];  // outermost first
  uint8_t written_[kMaxBytes];
};

// CapturedStack builds the stack of a new marker in the form of its entry (entry_format.h). The object takes 2 KiB of
// the marking thread's stack, and 2.5 KiB more during a capture.
//
// Threads: one. Context: any.
class CapturedStack {
 public:
  // The facts about the calling thread.
  struct Thread {
    int32_t tid;
    StackRange stack;  // {0, 0}: unknown
    const ProfilingStack& labels;
    uint32_t unloads;  // the number of library unloads so far
    SamplerSleep& sampler;
    MarkerStackMemory* memory;    // or null
    uint32_t skipped_frames = 0;  // innermost ones, of no interest
  };

  explicit CapturedStack(PendingMarkerStacks& stacks) : stacks_(stacks) {}
  ~CapturedStack() { HandOver({}); }
  CapturedStack(const CapturedStack&) = delete;
  CapturedStack& operator=(const CapturedStack&) = delete;

  // Captures the stack of the calling thread, from `caller` outwards. Returns false if outer frames are missing. The
  // caller counts that.
  bool Capture(const Thread& thread, const CallerFrame& caller, bool native);
  // Copies a stack that was captured before. Returns false if outer frames had no room. The caller counts that.
  bool Capture(const geckoprof_stack& stack);

  // Hands the copy of the stack to the sampler, if the stack is left to it. `marker` is the chunk with the marker. If
  // it is unknown, the sampler does not write the stack again when chunks are recycled.
  void HandOver(const ChunkUse& marker);

  // The number of open labels that are not shown. They are past the limits of samples, or had no room. The caller
  // counts them.
  uint32_t labels_missing() const { return labels_missing_; }

  // The result is empty if there is no stack.
  std::span<const uint8_t> bytes() const { return {room_, used_}; }

 private:
  static constexpr size_t kMaxBytes = 2048;
  static constexpr int kMaxTries = 4;
  // The sampler unwinds deeper stacks.
  static constexpr size_t kMaxFrames = MarkerStackMemory::kMaxFrames;

  // These are arguments of MergeLabels.
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
  CaptureBuffer* deferred_ = nullptr;  // for the sampler
  SamplerSleep* sampler_ = nullptr;
  StackRange stale_ = {0, 0};  // The part of the thread's stack where no label is open.
  uint32_t labels_missing_ = 0;
  size_t used_ = 0;
  uint8_t room_[kMaxBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_CAPTURED_STACK_H_
