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

// StackBuilder: turns the copy of a thread's stack into one stack, outermost frame first. It unwinds the copy, and it
// merges the open labels into the native frames by stack address (MergeLabels).
//
// Frames of this library are left out, so that the sample belongs to their caller. Examples are the function in which
// pthread_create's wrapper starts a thread, and a hook that the thread is just in. They stay if there is no other
// frame. The innermost frame is then a return address, one byte after its call. Readers take the last frame of a stack
// for the instruction itself and each other frame for a return address. Each frame is therefore written as its place
// demands:
//
//   unwound         last of the stack      before a label
//   pc              pc                     pc + 1
//   return address  return address - 1     return address
//
// A frame of kind kReason (kFoundByScan) stands between two frames if a scan of the stack alone found the outer one.
//
// Threads: owned by the sampler.
// Context: not signal context. It does not allocate once it is warm.
class StackBuilder {
 public:
  // `shared` receives the unwind rules (RuleCache). Null means that no other object needs them.
  explicit StackBuilder(ModuleRecorder* modules, SharedRules* shared = nullptr)
      : StackBuilder(modules, kThisLibrary, shared) {}
  // For tests: the module that holds `own_code` counts as this library.
  StackBuilder(ModuleRecorder* modules, const void* own_code, SharedRules* shared = nullptr);

  // The results of all functions are valid until the next call.
  std::span<const StackFrame> FromCapture(const CaptureBuffer& capture, bool native);
  // `labels` may be null. `known` is the range of the thread's own stack, or {0, 0} if it is unknown.
  std::span<const StackFrame> FromBlocked(const BlockedThreadReader::Place& place,
                                          const BlockedThreadReader::Copy& copy, const LabelCopy* labels,
                                          StackRange known, bool native);

  // Makes the stack of a marker. Its innermost frame is also written as a return address.
  std::span<const StackFrame> FromMarker(const CaptureBuffer& capture, bool native);
  // Makes a stack of the labels alone, with the reason why there are no frames.
  std::span<const StackFrame> OnlyLabels(const CaptureBuffer& capture, StackProblem problem);

  // Makes a stack that consists of the reason alone.
  std::span<const StackFrame> MakeReasonStack(StackProblem problem);

  // All native frames of the last stack, innermost first, with the frames that the stack leaves out.
  std::span<const UnwoundFrame> native_frames() const { return std::span(native_).first(native_count_); }
  // Returns true if the last native stack reached the thread's start.
  bool reached_start() const { return reached_start_; }
  // Returns true if the last stack goes through code of no known library. The recorder of modules knows it, too.
  bool has_unknown_code() const { return has_unknown_code_; }
  // Called when the list of modules has changed.
  void DropStaleRules() { unwinder_.DropStaleRules(); }
  // The range of this library's code. It is empty if it is unknown, or if the library is part of the program.
  AddressRange OwnCode();

  // The stack pointer of the outermost frame.
  uint64_t outermost_sp() const { return outermost_sp_; }

 private:
  static constexpr size_t kMaxFrames = 1024;
  static const void* const kThisLibrary;

  struct CopiedStack {
    StackView view;
    bool is_known;         // the thread's own stack, with known bounds
    StackProblem problem;  // a reason for a cut copy
    StackRange outer;      // the thread's own stack if this is another one, as for MergeLabels
  };
  void BorrowLabels(const CaptureBuffer& capture) {
    borrowed_labels_.BorrowFrom(capture);
    labels_ = &borrowed_labels_;
  }
  std::span<const StackFrame> Build(const Registers& registers, const CopiedStack& stack, bool native);
  // Returns true if a frame is in no known mapping. A library was then loaded since, and its unwind data is missing
  // here.
  bool HasUnknownCode(size_t native_count) const;
  // `outer` and `missing_from` are those parameters of MergeLabels.
  void Merge(size_t native_count, StackRange outer, uint64_t missing_from);
  void FindOwnCode();
  bool IsOwn(size_t native_index) const;

  ModuleRecorder* const modules_;
  Unwinder unwinder_;
  std::vector<UnwoundFrame> native_;
  std::span<const uint16_t> scanned_frames_;  // of native_, those that a scan alone found
  std::vector<StackFrame> frames_;
  LabelCopy borrowed_labels_;
  const LabelCopy* labels_ = &borrowed_labels_;  // of the stack that is built
  const void* const own_code_;                   // an address in this library
  uint64_t own_low_ = 0, own_high_ = 0;  // this library's code; 0, 0: not found yet; 1, 1: it is part of the program
  size_t native_count_ = 0;
  bool for_marker_ = false;
  size_t skipped_frames_ = 0;
  bool reached_start_ = false;
  bool has_unknown_code_ = false;
  uint64_t outermost_sp_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_
