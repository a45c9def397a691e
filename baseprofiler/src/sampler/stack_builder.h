#ifndef GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/unwinder.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/label_copy.h"
#include "sampler/module_recorder.h"

namespace geckoprof {

// StackBuilder: turns what was copied of a thread into one stack, outermost frame first: unwinds the copy, and merges
// the open labels into the native frames by stack address (MergeLabels).
//
// Frames of this library (the function in which pthread_create's wrapper starts a thread, our version of a call that
// the thread is just in) are left out, so the sample belongs to who called; unless nothing else is there. What becomes
// the innermost frame then is a return address, which stands one byte behind the call, while readers take the last
// frame of a stack for the instruction itself and every other one for a return address. So each is written as its place
// wants it:
//
//   unwound         last of the stack      before a label
//   pc              pc                     pc + 1
//   return address  return address - 1     return address
//
// Threads: owned by the sampler. Context: not signal context. No allocation once warm.
class StackBuilder {
 public:
  // `shared`: see RuleCache; null: nobody else is to know the rules.
  explicit StackBuilder(ModuleRecorder* modules, SharedRules* shared = nullptr)
      : StackBuilder(modules, kThisLibrary, shared) {}
  // As if the module that holds `own_code` were ours: for tests.
  StackBuilder(ModuleRecorder* modules, const void* own_code, SharedRules* shared = nullptr);

  // The result is valid until the next call.
  std::span<const StackFrame> FromCapture(const CaptureBuffer& capture, bool native);
  // `known`: the bounds of the thread's own stack, {0, 0} if unknown.
  std::span<const StackFrame> FromBlocked(const BlockedThreadReader::Place& place, const BlockedThreadReader& reader,
                                          const ProfilingStack* labels, StackRange known, bool native);

  // The same for a marker: of such a stack the innermost frame, too, is written as a return address.
  std::span<const StackFrame> FromMarker(const CaptureBuffer& capture, bool native);
  // The labels alone, and why there is no more.
  std::span<const StackFrame> OnlyLabels(const CaptureBuffer& capture, StackProblem problem);

  // A stack that consists of its reason only.
  std::span<const StackFrame> OnlyReason(StackProblem problem);

  // All native frames of the last stack, innermost first: also those that are left out of it.
  std::span<const UnwoundFrame> native_frames() const { return std::span(native_).first(native_count_); }
  // Whether the last native stack reached the thread's start.
  bool reached_start() const { return reached_start_; }
  // The list of modules has changed.
  void DropStaleRules() { unwinder_.DropStaleRules(); }
  // This library's code, as far as it is known; empty where it is part of the program.
  AddressRange OwnCode();

  // The stack pointer of its outermost frame.
  uint64_t outermost_sp() const { return outermost_sp_; }

 private:
  static constexpr size_t kMostFrames = 1024;
  static const void* const kThisLibrary;

  struct CopiedStack {
    StackView view;
    bool is_known;         // the thread's own, whose bounds are known
    StackProblem problem;  // why it may be cut
    StackRange outer;      // of one that is not: the thread's own, as for MergeLabels
  };
  std::span<const StackFrame> Build(const Registers& registers, const CopiedStack& stack, bool native);
  // Code that is in no mapping we know of: a library that was loaded since, whose unwind data was missing here.
  bool HasUnknownCode(size_t native_count) const;
  // The latter two as for MergeLabels.
  void Merge(size_t native_count, StackRange outer, uint64_t missing_from);
  void FindOwnCode();
  bool IsOwn(size_t native_index) const;

  ModuleRecorder* const modules_;
  Unwinder unwinder_;
  std::vector<UnwoundFrame> native_;
  std::vector<StackFrame> frames_;
  LabelCopy labels_;
  const void* const own_code_;           // an address in this library
  uint64_t own_low_ = 0, own_high_ = 0;  // all of it; 0, 0: not found yet; 1, 1: it is the program itself
  size_t native_count_ = 0;
  bool for_marker_ = false;
  size_t skipped_frames_ = 0;
  bool reached_start_ = false;
  uint64_t outermost_sp_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_
