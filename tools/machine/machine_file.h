#ifndef GECKOPROF_TOOLS_MACHINE_MACHINE_FILE_H_
#define GECKOPROF_TOOLS_MACHINE_MACHINE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// MachineFile is a file of sysfs or procfs that is read again and again. It stays open. A file that cannot be read is
// closed, and opened again after a second.
//
// Threads: one. Context: reading allocates nothing.
class MachineFile {
 public:
  // Opens the file. `error` says whether that worked.
  explicit MachineFile(std::string path);

  const std::string& path() const { return path_; }
  // Returns errno of the last attempt to open or read, or 0.
  int error() const { return error_; }

  // Returns the text of a small file, up to the size of `room`. It is empty if the file cannot be read. Costs one
  // system call.
  std::string_view ReadText(int64_t now_ns, std::span<char> room);
  // Likewise, for a file of any size. A file of procfs gives some KiB at a time.
  std::string_view ReadLongText(int64_t now_ns, std::span<char> room);
  // Reads a file that has one number. Returns kNoReading if there is none. `error` is EBADMSG if the text is no number.
  // Costs one system call.
  uint64_t ReadNumber(int64_t now_ns);

 private:
  // Returns the number of bytes, or 0 after a failure.
  size_t ReadAt(int64_t now_ns, size_t offset, std::span<char> room);

  std::string path_;
  Fd file_;
  int error_ = 0;
  int64_t due_ns_ = 0;  // of the next attempt to open
};

// Returns the number in a text that ends with the line, or kNoReading.
uint64_t NumberOfLine(std::string_view text);
// Returns the first line of a small file, or an empty text.
std::string FirstLineOf(const std::string& path);
// Returns the names in a folder in order of their numbers and letters ("policy2" before "policy10").
std::vector<std::string> NamesIn(const std::string& folder);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_MACHINE_FILE_H_
