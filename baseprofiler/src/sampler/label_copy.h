#ifndef GECKOPROF_BASEPROFILER_SAMPLER_LABEL_COPY_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_LABEL_COPY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/open_labels.h"
#include "geckoprof/unwind/label_merge.h"

namespace geckoprof {

// LabelCopy: the open labels of one thread with their texts, outermost first. A copy comes from an answer, from a
// blocked thread or from the calling thread. CaptureBuffer's limits hold.
//
// Threads: owned by one thread.
// Context: not signal context. It does not allocate.
class LabelCopy {
 public:
  struct Label {
    uint64_t stack_address;
    uint32_t category_pair;
    uint32_t origin;  // as in a LabelFrame
    std::string_view text;
  };

  void Clear() { count_ = missing_ = 0; }
  // Takes the labels of an answer and borrows its texts.
  void TakeFrom(const CaptureBuffer& capture);
  // Reads the labels of a blocked thread through the kernel. The thread may run on meanwhile, and the sample is then
  // thrown away.
  using Dead = ProfilingStack::DeadRange;
  void ReadFrom(const ProfilingStack& labels, const Dead& dead) { CopyFrom(labels, dead, &AppendProgramText); }
  // Copies the calling thread's labels.
  void CopyOwn(const ProfilingStack& labels, const Dead& dead) { CopyFrom(labels, dead, &AppendLabelText); }

  std::span<const Label> labels() const { return {labels_, count_}; }
  // Drops the labels that DropLabelsOfOtherCalls removes.
  void KeepThoseOf(std::span<const UnwoundFrame> native) {
    count_ = static_cast<uint32_t>(DropLabelsOfOtherCalls(native, std::span<Label>(labels_, count_)));
  }
  uint32_t missing() const { return missing_; }  // open labels beyond the limits

 private:
  // Copies a string of the program to out[from, to). Returns the end of the copy.
  using Append = uint32_t(const char* text, char* out, uint32_t from, uint32_t to);
  static uint32_t AppendProgramText(const char* text, char* out, uint32_t from, uint32_t to);
  void CopyFrom(const ProfilingStack& labels, const Dead& dead, Append* append);

  uint32_t count_ = 0;
  uint32_t missing_ = 0;
  Label labels_[CaptureBuffer::kMaxLabels];
  char text_[CaptureBuffer::kLabelTextBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_LABEL_COPY_H_
