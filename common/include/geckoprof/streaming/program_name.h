#ifndef GECKOPROF_STREAMING_PROGRAM_NAME_H_
#define GECKOPROF_STREAMING_PROGRAM_NAME_H_

#include <string_view>

#include "geckoprof/streaming/process_profile.h"

namespace geckoprof {

// What a process is called: by itself (geckoprof_base_set_process_name), else what its program was called by, its first
// argument without folders, else the file's name, never empty: a process that ended within its first moments may not
// have told what it ran, and is an "unknown program". A view of `process`.
std::string_view ProgramName(const ProcessProfile& process);

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_PROGRAM_NAME_H_
