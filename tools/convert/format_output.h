#ifndef GECKOPROF_TOOLS_CONVERT_FORMAT_OUTPUT_H_
#define GECKOPROF_TOOLS_CONVERT_FORMAT_OUTPUT_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/support/output_file.h"

namespace geckoprof {

// FormatOutput: where a writer of a format puts its bytes: through a buffer to a file, or, to be compressed as a whole,
// into memory. A failure stays: the bytes after it go nowhere, and Finish says what it was. Threads: one at a time.
// Lifetime:  the file outlives it.
class FormatOutput {
 public:
  // `file` null: the bytes stay in the buffer, for tests.
  FormatOutput(OutputFile* file, bool compress) : file_(file), compress_(compress) {}
  FormatOutput(const FormatOutput&) = delete;
  FormatOutput& operator=(const FormatOutput&) = delete;

  // What is written next is appended to it. Writers call FlushIfLarge between two records.
  std::string& buffer() { return buffer_; }
  void FlushIfLarge() {
    if (buffer_.size() >= kFlushBytes) Flush();
  }
  // Calls write(writer), which writes one JSON text.
  void WriteJson(const std::function<void(JsonWriter& writer)>& write);
  // The rest, compressed or not, to the file, which is not committed.
  absl::Status Finish();

 private:
  static constexpr size_t kFlushBytes = size_t{256} << 10;

  void Flush();

  OutputFile* file_;
  bool compress_;
  std::string buffer_;
  absl::Status status_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_FORMAT_OUTPUT_H_
