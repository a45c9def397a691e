#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_FILE_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_FILE_H_

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/support/output_file.h"
#include "tools/support/standard_output.h"

namespace geckoprof {

// Returns false if the JSON cannot be made, so that there must be no file.
using JsonMaker = std::function<bool(JsonWriter& writer)>;

// Writes the JSON that `make` gives the writer to `path`, compressed if it ends in ".gz". The file appears only when it
// is complete. The text is not kept in memory, or only up to GzipStream::kMostWholeBytes of it. `progress` may be null.
absl::Status WriteJsonFile(const std::string& path, ProgressLine* progress, const JsonMaker& make);
// Likewise to a file that was created and not yet written; commits it.
absl::Status WriteJsonFile(OutputFile& file, ProgressLine* progress, const JsonMaker& make);

// SpooledJson: the elements of a JSON array that are known before their place in the output comes. Up to a limit they
// are in memory. The others are in a nameless temporary file, one a line. If there can be no such file, all are in
// memory.
// Threads: one at a time.
class SpooledJson {
 public:
  static constexpr size_t kMostBytesInMemory = size_t{1} << 20;

  // Adds one element, which `write` writes.
  void Add(const std::function<void(JsonWriter& writer)>& write);
  bool empty() const { return is_empty_; }
  // Writes all elements in their order. To be called once, after the last Add. Returns false if they cannot be read.
  [[nodiscard]] bool WriteTo(JsonWriter& writer);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string text_;  // elements after those in the file, each with a newline at its end
  std::unique_ptr<std::FILE, CloseFile> file_;
  bool is_empty_ = true, has_failed_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_FILE_H_
