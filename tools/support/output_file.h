#ifndef GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_
#define GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/file_place.h"

namespace geckoprof {

// Returns whether two names are one file's, be it through links or because it has both. Neither need exist. Names of
// devices such as /dev/null never are.
bool LeadToOneFile(const std::string& a, const std::string& b);

// An error if what is written to `output` would take the place of one of the files that are read. "-" is a standard
// stream.
absl::Status CheckIsNoInput(const std::string& output, std::span<const std::string> inputs);

// Returns the message of an error of a file, with the name of the file in front unless the message has it already.
std::string WithName(const std::string& path, std::string_view what);

// The folder of a path, to which a name may be appended.
std::string FolderOf(const std::string& path);

// OutputFile: a file that appears under its name only when it is complete.
//
//   Create             Write ...      Commit
//   a nameless file    bytes          .geckoprof-RANDOM.tmp beside FILE, renamed to FILE
//        \___________ destructor without Commit, or the process's end: nothing is left
//
// Where the file system has no nameless files it is .geckoprof-RANDOM.tmp from the start, which only the destructor
// removes. FILE is what a link leads to (base/file_place.h). A file that is replaced gives the new one its mode and
// owner. A new file can be read by its owner only.
// "-", what is no regular file (/dev/null, a FIFO), and a file reached through /proc (/dev/stdout of `>file`) are
// written directly, from the first Write on. A FIFO that nobody reads is an error: waiting for a reader might take for
// ever.
// Threads: one at a time.
class OutputFile {
 public:
  static absl::StatusOr<OutputFile> Create(const std::string& path);
  // With numbers the file replaces nothing. At Commit it gets the first name that is free:
  //   kIfTaken   NAME.json.gz, NAME-2.json.gz, ...
  //   kAlways    NAME-1.json.gz, NAME-2.json.gz, ...
  enum class Numbers : uint8_t { kNever, kIfTaken, kAlways };
  static absl::StatusOr<OutputFile> Create(const std::string& path, Numbers numbers);
  // Writes to a copy of a descriptor that is open already, `path` being what it leads to. From the first Write on a
  // regular file has nothing but what is written. A reader may take nothing for kPatienceMs if the descriptor says
  // O_NONBLOCK.
  static absl::StatusOr<OutputFile> OfDescriptor(int descriptor, const std::string& path);
  static constexpr int kPatienceMs = 2000;
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  absl::Status Write(std::string_view bytes);
  // Closes; no Write after it.
  absl::Status Commit();

  // As it was given to Create, "the standard output" for "-"; of a numbered one, from Commit on, the name that it got.
  const std::string& path() const { return path_; }

  // Finds out, by making and removing a temporary file, whether Create would work, and whether there is any room.
  static absl::Status CheckWritable(const std::string& path);

  // Likewise, long before Create: a FIFO must have its reader by now, and that waits until both the result of this and
  // the file of Create are gone. Of anything else there is nothing to hold, and the result is not ok().
  static absl::StatusOr<Fd> CheckAndHold(const std::string& path);

 private:
  OutputFile(std::string path, std::unique_ptr<FilePlace> place, int fd)
      : path_(std::move(path)),
        place_(std::move(place)),
        has_old_bytes_(place_ != nullptr && place_->way == FilePlace::Way::kInPlace),
        fd_(fd) {}
  static absl::StatusOr<OutputFile> OpenReplacement(const std::string& path, std::unique_ptr<FilePlace> place);
  absl::Status Begin();
  absl::Status GiveName();
  absl::StatusOr<std::string> ReserveName();
  absl::Status Rename();
  absl::Status CheckRoom() const;
  bool IsReplacement() const { return place_ != nullptr && place_->way == FilePlace::Way::kReplace; }

  std::string path_;
  std::unique_ptr<FilePlace> place_;  // null for a descriptor that was given
  Numbers numbers_ = Numbers::kNever;
  bool begun_ = false;
  bool has_old_bytes_;          // until the first Write; a regular file that is written in place
  std::string temporary_name_;  // in the folder of the place; not empty: exists
  int fd_ = -1;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OUTPUT_FILE_H_
