#ifndef GECKOPROF_BASEPROFILER_LABELS_DEAD_LABELS_H_
#define GECKOPROF_BASEPROFILER_LABELS_DEAD_LABELS_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

// What a longjmp over open labels left on the calling thread's stack of labels: popped, as far as it is known to be
// dead (ProfilingStack). `sp`: of a frame of the program's. Context: any, signal context included.
void DropDeadLabels(ProfilingStack& labels, uintptr_t sp);

// The same, of whatever the thread has open.
void DropOwnDeadLabels(uintptr_t sp);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LABELS_DEAD_LABELS_H_
