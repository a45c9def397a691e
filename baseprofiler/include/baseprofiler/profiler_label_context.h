#ifndef GECKOPROF_BASEPROFILER_PROFILER_LABEL_CONTEXT_H_
#define GECKOPROF_BASEPROFILER_PROFILER_LABEL_CONTEXT_H_

#include "baseprofiler/label_abi.h"

namespace geckoprof {

// ProfilerLabelContext: the way to one thread's labels, for AUTO_PROFILER_LABEL_FAST: what a program hands down to its
// inner loops spares those the look for it. It is that of the thread which makes it, and of use there alone.
class ProfilerLabelContext {
 public:
  ProfilerLabelContext() : labels_(geckoprof_base_own_labels()) {}

  // Null if there was no memory: labels are then not opened.
  geckoprof_label_stack* labels() const { return labels_; }

 private:
  geckoprof_label_stack* labels_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROFILER_LABEL_CONTEXT_H_
