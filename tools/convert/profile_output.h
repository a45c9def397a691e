#ifndef GECKOPROF_TOOLS_CONVERT_PROFILE_OUTPUT_H_
#define GECKOPROF_TOOLS_CONVERT_PROFILE_OUTPUT_H_

#include <string>

#include "absl/status/status.h"
#include "tools/convert/recorded_session.h"
#include "tools/support/progress_line.h"

namespace geckoprof {

enum class OutputFormat { kProcessed, kGecko };

// Writes the session to `path`, compressed if it ends in ".gz". kProcessed: symbolicated; kGecko: raw, the first
// process as the parent of the others. `progress` may be null. The file appears only when it is complete.
absl::Status WriteProfile(const RecordedSession& session, OutputFormat format, const std::string& path,
                          ProgressLine* progress);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROFILE_OUTPUT_H_
