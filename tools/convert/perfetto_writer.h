#ifndef GECKOPROF_TOOLS_CONVERT_PERFETTO_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PERFETTO_WRITER_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"

namespace geckoprof {

// Perfetto's own trace format: TracePackets of one sequence.
//
//   clock snapshot                          when it was
//   track descriptors                       processes, threads, markers that overlap, counters
//   interned data                           names, libraries with build ids, frames with source and line, call stacks
//   PerfSample                              each sample that counts
//   TrackEvent                              markers, with their data as debug annotations; values of counters
//
// Times begin at one second: a reader may take 0 for none. A sample that stands for several is repeated, an interval
// apart, where a thread's are not more than kMaxRepeated.
void WritePerfetto(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PERFETTO_WRITER_H_
