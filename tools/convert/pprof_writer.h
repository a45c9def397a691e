#ifndef GECKOPROF_TOOLS_CONVERT_PPROF_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PPROF_WRITER_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"

namespace geckoprof {

// pprof's profile.proto, which `go tool pprof` opens: samples added up by thread and call path, with their number and,
// where the file has them, the CPU ns that they used; labels "process", "pid", "thread" and "tid". Addresses count from
// a made-up start of each library.
void WritePprof(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PPROF_WRITER_H_
