#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROFILE_OUTPUT_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROFILE_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/missing_names.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/support/output_file.h"
#include "tools/support/standard_output.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// Writes a whole session as one profile in the viewer's own format, symbolicated, and tells which names its samples
// lack. Linear in the size of the session but for sorting its symbols. Each process is asked for once, in order.
// Failures of the sink are in the writer's latch. Returns false if a temporary file failed, so that the profile is not
// whole.
[[nodiscard]] bool WriteProcessedProfile(const RecordedSession& session, Symbolizer& symbolizer, JsonWriter& writer,
                                         MissingNames* missing_names);

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
