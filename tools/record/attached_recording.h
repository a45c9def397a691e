#ifndef GECKOPROF_TOOLS_RECORD_ATTACHED_RECORDING_H_
#define GECKOPROF_TOOLS_RECORD_ATTACHED_RECORDING_H_

#include "tools/record/record_options.h"

namespace geckoprof {

// Records the process of `options` until a signal, its end or --duration, and writes the profile. Returns the exit
// status.
int RecordAttached(RecordOptions& options);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_ATTACHED_RECORDING_H_
