#ifndef GECKOPROF_TOOLS_RECOVER_LEFT_FOLDER_H_
#define GECKOPROF_TOOLS_RECOVER_LEFT_FOLDER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// LeftFolder: a folder that recordings write to, held by one descriptor: what is looked at is what is locked and what
// is emptied, whoever may rename or replace its path meanwhile.
//
//   <pid>-<n>.segment, command, full     regular files
//   note-<pid>                           a symbolic link
//
//
// or in which root's copy of the library lies (PublicLibrary):
//
//   libbaseprofiler.so
//
// An entry of any other name or kind (a folder, a FIFO, a link called "command") is no recording's. Nothing here
// removes recursively or follows a link: one name at a time, and the folder itself only when it is empty.
class LeftFolder {
 public:
  // Not ok(): there is none, it is a link, another user's, or has other rights than 0700, of a copy also 0755.
  LeftFolder(const std::string& parent, const std::string& name);

  bool ok() const { return folder_.ok(); }
  // Whether the name is that of a copy of the library.
  bool is_library() const { return is_library_; }
  const std::string& name() const { return name_; }
  int64_t changed_s() const { return changed_s_; }  // seconds since the epoch

  // By which its files can be opened while this lives, as long as /proc is there.
  std::string path() const;

  struct Entry {
    std::string name;
    int32_t pid = 0;          // whose it is; 0: the recorder's
    bool is_segment = false;  // a finished one
    uint64_t bytes = 0;       // that it really takes
    int64_t changed_s = 0;
    dev_t device = 0;
    ino_t inode = 0;
  };
  // The entries of recordings, by name. False: there are others as well, or not all could be looked at.
  bool List(std::vector<Entry>& entries) const;

  // A lock (flock(2)) until the end of this object: LOCK_EX or LOCK_SH. Does not wait: EWOULDBLOCK if another holds one
  // that excludes it; 0 or another errno.
  int Lock(int operation) const;

  // Whether the name is still that of the file that was listed.
  bool Holds(const Entry& entry) const;

  // An errno, 0 if all went well.
  int Remove(const Entry& entry) const;
  int RemoveFolder() const;  // which must be empty

 private:
  bool IsMode(mode_t mode) const;

  std::string name_;
  bool is_library_ = false;
  Fd parent_, folder_;
  int64_t changed_s_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_LEFT_FOLDER_H_
