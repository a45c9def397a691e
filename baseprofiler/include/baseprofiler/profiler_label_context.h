#ifndef GECKOPROF_BASEPROFILER_PROFILER_LABEL_CONTEXT_H_
#define GECKOPROF_BASEPROFILER_PROFILER_LABEL_CONTEXT_H_

#include "baseprofiler/label_abi.h"

namespace geckoprof {

// ProfilerLabelContext refers to the labels of the thread that makes it, for AUTO_PROFILER_LABEL_FAST. A program can
// pass it to its inner loops, which then need not find the labels. No other thread may use it.
class ProfilerLabelContext {
 public:
  ProfilerLabelContext() : labels_(geckoprof_base_own_labels()) {}

  // Returns null if there was no memory. Labels are not opened then.
  geckoprof_label_stack* labels() const { return labels_; }

 private:
  geckoprof_label_stack* labels_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROFILER_LABEL_CONTEXT_H_
