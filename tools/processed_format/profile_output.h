#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROFILE_OUTPUT_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROFILE_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/processed_format/recorded_session.h"
#include "tools/support/output_file.h"
#include "tools/support/progress_line.h"

namespace geckoprof {

enum class OutputFormat { kProcessed, kGecko };

// Messages for the user about the names of a profile.
struct ProfileFindings {
  // A sentence for each library without symbols, and for each debug file that cannot be used as a whole.
  std::vector<std::string> problems;
  std::string names_note;  // how to get names where many are missing; empty: few are
};

// Writes the session to `file` and commits it, compressed if its path ends in ".gz". A processed profile is
// symbolicated. A Gecko profile is raw, and has the first process as the parent of the others. `progress` may be null.
// The file appears only when it is complete.
absl::Status WriteProfile(const RecordedSession& session, OutputFormat format, OutputFile& file, ProgressLine* progress,
                          ProfileFindings* findings);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROFILE_OUTPUT_H_
