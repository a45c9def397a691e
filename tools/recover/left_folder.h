#ifndef GECKOPROF_TOOLS_RECOVER_LEFT_FOLDER_H_
#define GECKOPROF_TOOLS_RECOVER_LEFT_FOLDER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// FileOwner is the process that made a file, with what is known of the time at which it began.
struct FileOwner {
  pid_t pid = 0;               // by the file's name
  uint64_t start_ticks = 0;    // the kernel's start of the process; 0: unknown
  int64_t running_ns = 0;      // a time on CLOCK_MONOTONIC at which the process ran; 0: unknown
  int64_t file_changed_s = 0;  // since the epoch; counts if nothing else is known

  // Reads what a segment says of its process. The file may be anything.
  static FileOwner OfSegment(pid_t pid, const std::string& path, int64_t file_changed_s);

  // Returns whether the process lives. The kernel may have given its id to another process by now. A process that began
  // after the file was made is another one.
  bool Lives() const;
};

// LeftFolder is a folder that recordings write to. One descriptor holds it. The folder that is listed is therefore the
// one that is locked and emptied, even if its path is renamed or replaced meanwhile.
//
//   <pid>-<n>.segment, command, full     regular files
//   note-<pid>                           a symbolic link
//
// Root's copy of the library (PublicLibrary), and the page of a `geckoprof view` (BrowserPage), lie alone in such a
// folder:
//
//   libbaseprofiler.so
//   open.html
//
// An entry of any other name or kind (a folder, a FIFO, a link called "command") is not of a recording. Nothing here
// removes recursively or follows a link. Each name is removed alone, and the folder itself only when it is empty.
class LeftFolder {
 public:
  // The result is not ok() if there is no such folder, if it is a link or another user's, or if it has other rights
  // than 0700. A copy of the library may also have 0755.
  LeftFolder(const std::string& parent, const std::string& name);

  bool ok() const { return folder_.ok(); }
  // Returns whether the name is that of a copy of the library.
  bool is_library() const { return is_library_; }
  // Returns the only name in a folder that is not of a recording. It is empty for recordings.
  std::string_view only_file() const { return only_file_; }
  const std::string& name() const { return name_; }
  int64_t changed_s() const { return changed_s_; }  // seconds since the epoch

  // The path by which its files can be opened while this object lives. It needs /proc.
  std::string path() const;

  struct Entry {
    std::string name;
    int32_t pid = 0;          // of its process; 0: the recorder's
    bool is_segment = false;  // a finished one
    int64_t begin_ns = 0;     // of the process, if the name tells it
    uint64_t bytes = 0;       // that it really takes
    int64_t changed_s = 0;
    dev_t device = 0;
    ino_t inode = 0;
  };
  // Lists the entries of recordings, by name. Returns false if there are others as well, or if not all could be read.
  bool List(std::vector<Entry>& entries) const;

  // Locks the folder (flock(2), LOCK_EX or LOCK_SH) until the end of this object, without waiting. Returns 0,
  // EWOULDBLOCK if another lock excludes this one, or another errno.
  int Lock(int operation) const;

  // Returns whether the process of an entry lives (FileOwner).
  bool OwnerLives(const Entry& entry) const;

  // Returns whether the name is still that of the file that was listed.
  bool Holds(const Entry& entry) const;

  // Return an errno, or 0 if all went well.
  int Remove(const Entry& entry) const;
  int RemoveFolder() const;  // which must be empty

 private:
  bool IsMode(mode_t mode) const;

  std::string name_;
  bool is_library_ = false;
  std::string_view only_file_;
  Fd parent_, folder_;
  int64_t changed_s_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_LEFT_FOLDER_H_
