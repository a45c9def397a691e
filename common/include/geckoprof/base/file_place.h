#ifndef GECKOPROF_BASE_FILE_PLACE_H_
#define GECKOPROF_BASE_FILE_PLACE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// FilePlace tells where the name of an output file leads, and how the file must be written.
//
//   out.json                                  kReplace out.json
//   out.json -> ../kept/a.json                kReplace ../kept/a.json, whether it exists or not
//   /dev/stdout -> /proc/self/fd/1, a file    kInPlace
//   out.json that something is mounted on     kInPlace
//   /dev/null, a FIFO, a link to one          kStream
//
// Find follows symbolic links itself, because rename(2) would replace the link.
//
// Other users: Find refuses a file, FIFO or link in a sticky folder that others may write to, such as /tmp. This holds
// for each link on the way, in folders of the path and in the targets of links. The exceptions belong to us or to the
// owner of the folder. The kernel does the same under protected_symlinks and its like (proc(5)), if they are set. Find
// enters one folder after the other and keeps the last one open. An exchange of a folder or link meanwhile or later
// therefore changes nothing. Open refuses a file that is not the one that Find saw.
//
// An object has some KiB.
// Threads: one thread at a time.
// Context: raw system calls only. The code allocates no memory and does not touch errno.
struct FilePlace {
  enum class Way : uint8_t {
    kReplace,  // a regular file, or no file yet: a new file takes its place
    kInPlace,  // a regular file whose name cannot be given to another file: its name is a link in /proc, it is a mount
               // point, or it belongs to the owner of a sticky folder
    kStream,   // not a regular file
  };
  static constexpr size_t kMaxBytes = 4200;  // PATH_MAX, and the folder of a link's target

  // Fills in the members for `path`. Returns 0 or an error number of errno(3). The folder must exist.
  int Find(const char* path);

  // Opens the file that Find saw, with more flags of open(2). REQUIRES: it exists. Returns EACCES if its name has
  // another file by now.
  Fd Open(int flags) const;

  // Prepares the file `fd` to replace a file with this `status`. It gets the same mode and, if we have the right, the
  // same owner and group. If the group cannot be kept, the mode loses the group's rights.
  static void CopyPermissions(const struct stat& status, int fd);

  // Gives a new file mode 0600 if the umask took rights of its owner away.
  static void MakePrivate(int fd);

  // Returns true if the file or folder lies in /proc. No profile is written there, though root may open such files.
  static bool IsOfTheKernel(int fd);

  // A name for a file beside the one that it will replace. Another user cannot guess the name.
  struct TemporaryName {
    TemporaryName();
    char text[40];
  };

  // Returns the name in `folder`, to which all access goes.
  const char* name() const { return file + (std::string_view(file).rfind('/') + 1); }

  Way way = Way::kReplace;
  bool exists = false;
  Fd folder;                  // of the file, opened with O_PATH
  char file[kMaxBytes] = {};  // the path after all links, for messages
  struct stat status = {};    // valid if `exists`

 private:
  bool AppendToFile(std::string_view text);
  int FindLast(const struct stat& info);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_FILE_PLACE_H_
