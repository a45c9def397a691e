#ifndef GECKOPROF_TOOLS_CONVERT_OTLP_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_OTLP_WRITER_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"

namespace geckoprof {

// OpenTelemetry's profiles, one ProfilesData message: opentelemetry.proto.profiles.v1development as of
// opentelemetry-proto 1.11.0 (July 2026), the data model with one dictionary and stack tables; versions before 1.8.0
// had others. A resource for each process, with a profile of the samples (their times, and their weights where those
// are not all 1), and one of the CPU ns, added up by thread and call path, where the file has them.
void WriteOtlp(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_OTLP_WRITER_H_
