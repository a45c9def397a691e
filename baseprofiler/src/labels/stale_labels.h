#ifndef GECKOPROF_BASEPROFILER_LABELS_STALE_LABELS_H_
#define GECKOPROF_BASEPROFILER_LABELS_STALE_LABELS_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

// Drops the innermost entries of `labels` that are stale (ProfilingStack). `stack_pointer` belongs to a function of the
// calling thread. The labels of another thread stay, and so do all labels while the thread runs on another stack than
// its own. Usually a single comparison suffices, because the innermost entry is rarely stale. Context: any, signal
// context included.
void DropStaleLabels(ProfilingStack& labels, uintptr_t stack_pointer);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LABELS_STALE_LABELS_H_
