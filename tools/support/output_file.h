#ifndef GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_
#define GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace geckoprof {

// OutputFile: a file that appears under its name only when it is complete.
//
//   Create          Write ...            Commit
//   FILE.XXXX.tmp   bytes                rename to FILE
//        \___________ destructor without Commit: removed
//
// "-" and whatever exists and is no regular file (/dev/stdout, /dev/null, a pipe) are written directly.
// Threads: one at a time.
class OutputFile {
 public:
  static absl::StatusOr<OutputFile> Create(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  absl::Status Write(std::string_view bytes);
  // Closes; no Write after it.
  absl::Status Commit();

  // Finds out, by making and removing a temporary file, whether Create would work.
  static absl::Status CheckWritable(const std::string& path);

 private:
  OutputFile(std::string path, std::string temporary_path, int fd)
      : path_(std::move(path)), temporary_path_(std::move(temporary_path)), fd_(fd) {}

  std::string path_;
  std::string temporary_path_;  // empty: `path_` is written directly
  int fd_ = -1;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_
