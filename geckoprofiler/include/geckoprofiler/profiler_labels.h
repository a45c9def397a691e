// The full library's users open labels with AUTO_PROFILER_LABEL and its kin, which are base's: one stack of labels
// serves both, whoever records.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_LABELS_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_LABELS_H_

#include "baseprofiler/labels.h"

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_LABELS_H_
