#ifndef GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_
#define GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

// OutputFile: a file that appears under its name only when it is complete.
//
//   Create             Write ...      Commit
//   a nameless file    bytes          FILE.PID-N.tmp, renamed to FILE
//        \___________ destructor without Commit, or the process's end: nothing is left
//
// Where the file system has no nameless files it is FILE.PID-N.tmp from the start, which only the destructor removes.
// "-" and whatever exists and is no regular file (/dev/stdout, /dev/null, a FIFO) are written directly. A FIFO that
// nobody reads is an error: waiting for a reader might take for ever.
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

  // Makes an empty file under `path`, or a name like it with a number where that is taken, so that nobody else takes
  // the name before Commit replaces it. Returns the name.
  static absl::StatusOr<std::string> Reserve(const std::string& path);

  // Finds out, by making and removing a temporary file, whether Create would work.
  static absl::Status CheckWritable(const std::string& path);

  // Likewise, long before Create: a FIFO must have its reader by now, and that waits until both the result of this and
  // the file of Create are gone. Of anything else there is nothing to hold, and the result is not ok().
  static absl::StatusOr<Fd> CheckAndHold(const std::string& path);

 private:
  // Where the bytes go until Commit.
  enum class Place { kDirect, kNameless, kTemporary };
  OutputFile(std::string path, Place place, std::string temporary_path, int fd)
      : path_(std::move(path)), place_(place), temporary_path_(std::move(temporary_path)), fd_(fd) {}
  absl::Status GiveName();

  std::string path_;
  Place place_;
  std::string temporary_path_;  // not empty: exists
  int fd_ = -1;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_
