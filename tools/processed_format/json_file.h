#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_FILE_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_FILE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/support/output_file.h"
#include "tools/support/progress_line.h"

namespace geckoprof {

// Returns false if the JSON cannot be made, so that there must be no file.
using JsonMaker = std::function<bool(JsonWriter& writer)>;

// Writes the JSON that `make` gives the writer to `path`, compressed if it ends in ".gz". The file appears only when it
// is complete. The text is not kept in memory, or only up to GzipStream::kMostWholeBytes of it. `progress` may be null.
absl::Status WriteJsonFile(const std::string& path, ProgressLine* progress, const JsonMaker& make);
// Likewise to a file that was created and not yet written; commits it.
absl::Status WriteJsonFile(OutputFile& file, ProgressLine* progress, const JsonMaker& make);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_FILE_H_
