#ifndef GECKOPROF_BASEPROFILER_MARKERS_CRASH_REPORT_H_
#define GECKOPROF_BASEPROFILER_MARKERS_CRASH_REPORT_H_

#include <signal.h>

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

// Writes the crash of the calling thread into the header of the recording's segment (SegmentHeader::crash). It asks the
// sampler to write the stack, and waits for it for a fraction of a second. If the sampler has ended, the crash has no
// stack.
//
//   crashed thread: header, registers --Publish--> sampler: reads the stack in place, unwinds it, writes it
//                   waits            <----------
//
// A child that was forked within the last millisecond has no segment yet. Its sampler makes the segment at once.
//
// Context: signal context. It takes no lock and allocates nothing.
void ReportCrash(int signal, const siginfo_t& info, const void* context);

// Returns the part of the crashed thread's stack that can be read, from `sp` on. After an overflow, `sp` is in the
// guard page or below it. `known` is the thread's stack, or {0, 0}. The rest of the page of `sp` is returned if `sp` is
// not in it. The result is empty if nothing can be read.
//
// Context: signal context.
StackRange ReadableStack(uintptr_t sp, const StackRange& known);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_CRASH_REPORT_H_
