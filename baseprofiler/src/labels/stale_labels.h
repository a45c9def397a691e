#ifndef GECKOPROF_BASEPROFILER_LABELS_STALE_LABELS_H_
#define GECKOPROF_BASEPROFILER_LABELS_STALE_LABELS_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

// Drops the innermost entries of `labels` that are stale (ProfilingStack). `stack_pointer` is that of a function of the
// calling thread. The function drops nothing from the labels of another thread. It drops nothing either while the
// thread runs on another stack than its own. Nearly always one compare suffices, since the innermost entry is not
// stale. Context: any, signal context included.
void DropStaleLabels(ProfilingStack& labels, uintptr_t stack_pointer);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LABELS_STALE_LABELS_H_
