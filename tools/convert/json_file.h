#ifndef GECKOPROF_TOOLS_CONVERT_JSON_FILE_H_
#define GECKOPROF_TOOLS_CONVERT_JSON_FILE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/support/output_file.h"
#include "tools/support/progress_line.h"

namespace geckoprof {

// Writes the JSON that `write` gives the writer to `path`, compressed if it ends in ".gz". The file appears only when
// it is complete. `progress` may be null.
absl::Status WriteJsonFile(const std::string& path, ProgressLine* progress,
                           const std::function<void(JsonWriter& writer)>& write);
// Likewise to a file that was created and not yet written; commits it.
absl::Status WriteJsonFile(OutputFile& file, ProgressLine* progress,
                           const std::function<void(JsonWriter& writer)>& write);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_JSON_FILE_H_
