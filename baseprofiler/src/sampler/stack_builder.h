#ifndef GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/unwinder.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/module_recorder.h"

namespace geckoprof {

// StackBuilder: turns what was copied of a thread into one stack, outermost frame first: unwinds the copy, and merges
// the open labels into the native frames by stack address.
//
//   high addresses   main            label A lives in main's frame, so it comes after main and before run
//                      label A
//                    run
//   low addresses      label B
//
// Frames of this library that are not innermost (the function in which pthread_create's wrapper starts a thread) are
// left out. Threads: owned by the sampler. Context: not signal context. No allocation once warm.
class StackBuilder {
 public:
  explicit StackBuilder(ModuleRecorder* modules);

  // The result is valid until the next call.
  std::span<const StackFrame> FromCapture(const CaptureBuffer& capture, bool native);
  std::span<const StackFrame> FromBlocked(const BlockedThreadReader::Place& place, const BlockedThreadReader& reader,
                                          const ProfilingStack* labels, bool native);

  // A stack that consists of its reason only.
  std::span<const StackFrame> OnlyReason(StackProblem problem);

  // Whether the last native stack reached the thread's start.
  bool reached_start() const { return reached_start_; }
  // The stack pointer of its outermost frame.
  uint64_t outermost_sp() const { return outermost_sp_; }

 private:
  struct Label {
    uint64_t stack_address;
    uint32_t category_pair;
    std::string_view text;
  };
  static constexpr size_t kMostFrames = 1024;

  std::span<const StackFrame> Build(const Registers& registers, const StackView& stack, StackProblem problem,
                                    bool native);
  void NoteUnknown(size_t native_count);
  void Merge(size_t native_count);
  void CollectLabels(const CaptureBuffer& capture);
  void CollectLabels(const ProfilingStack& labels);
  size_t AppendProgramText(const char* text, size_t used, size_t limit);
  void AppendNative(const UnwoundFrame& frame, bool innermost);

  ModuleRecorder* const modules_;
  Unwinder unwinder_;
  std::vector<UnwoundFrame> native_;
  std::vector<StackFrame> frames_;
  std::vector<Label> labels_;
  std::vector<char> label_text_;
  uint64_t own_low_ = 0, own_high_ = 0;  // this library's code
  bool reached_start_ = false;
  uint64_t outermost_sp_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_STACK_BUILDER_H_
