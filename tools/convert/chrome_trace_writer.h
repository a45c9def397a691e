#ifndef GECKOPROF_TOOLS_CONVERT_CHROME_TRACE_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_CHROME_TRACE_WRITER_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"

namespace geckoprof {

// The Chrome trace event format (JSON), for Chrome's DevTools, Perfetto's viewer and speedscope.
//
//   names of processes and threads   M
//   samples                          P   "Profile" and "ProfileChunk" of V8's profiler, one profile a thread: nodes,
//                                        samples and time deltas. The older "stackFrames" and "samples" beside
//                                        "traceEvents" are read by nothing that is still maintained.
//   markers                          X where they nest, else b and e; i for instants; their data as args
//   counters                         C
//
// Where a thread did not run its samples are "(idle)". A sample lasts until the next one, as everywhere in this format.
void WriteChromeTrace(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_CHROME_TRACE_WRITER_H_
