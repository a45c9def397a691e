#ifndef GECKOPROF_TOOLS_CONVERT_FOLDED_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_FOLDED_WRITER_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"

namespace geckoprof {

// Folded stacks, as flamegraph.pl and its kin read them: one line a thread and call path, outermost first, and how many
// samples.
//
//   worker;main;run;hash 17
//
// Each begins with the thread, and with the process where there are several. A ';' in a name becomes ':'.
void WriteFolded(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_FOLDED_WRITER_H_
