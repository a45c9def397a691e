#ifndef GECKOPROF_TOOLS_CONVERT_SPEEDSCOPE_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_SPEEDSCOPE_WRITER_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"

namespace geckoprof {

// speedscope's own file format: one sampled profile a thread that has samples, the busiest first shown. A sample lasts
// its weight times the interval, so that widths are samples and the axis is in ms; where the file tells no interval, or
// weighs bytes, in those. Samples of a thread that did not run are a gap: a sample without frames. Consecutive samples
// with the same stack are one.
void WriteSpeedscope(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_SPEEDSCOPE_WRITER_H_
