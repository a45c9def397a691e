#ifndef GECKOPROF_BASEPROFILER_SAMPLER_LABEL_COPY_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_LABEL_COPY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/open_labels.h"

namespace geckoprof {

// LabelCopy: the open labels of one thread with their texts, outermost first. They come from one of three sources. The
// limits are the same as CaptureBuffer's. It allocates nothing. Threads: one owner. Context: not signal context.
class LabelCopy {
 public:
  struct Label {
    uint64_t stack_address;
    uint32_t category_pair;
    std::string_view text;
  };

  void Clear() { count_ = missing_ = 0; }
  // Takes the labels of an answer, and borrows its texts.
  void BorrowFrom(const CaptureBuffer& capture);
  // Copies the labels of a blocked thread, but for stale ones. The kernel reads the texts, since the thread may run on.
  // The caller discards the sample then.
  void ReadFrom(const ProfilingStack& labels, StackRange stale) { CopyFrom(labels, stale, &AppendProgramText); }
  // Copies the labels of the calling thread, but for stale ones.
  void CopyCurrent(const ProfilingStack& labels, StackRange stale) { CopyFrom(labels, stale, &AppendLabelText); }

  std::span<const Label> labels() const { return {labels_, count_}; }
  // The number of open labels past the limits.
  uint32_t missing() const { return missing_; }

 private:
  // Copies a string of the program to out[from, to). Returns its end there.
  using Append = uint32_t(const char* text, char* out, uint32_t from, uint32_t to);
  static uint32_t AppendProgramText(const char* text, char* out, uint32_t from, uint32_t to);
  void CopyFrom(const ProfilingStack& labels, StackRange stale, Append* append);

  uint32_t count_ = 0;
  uint32_t missing_ = 0;
  Label labels_[CaptureBuffer::kMaxLabels];
  char text_[CaptureBuffer::kLabelTextBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_LABEL_COPY_H_
