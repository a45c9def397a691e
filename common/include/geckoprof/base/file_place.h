#ifndef GECKOPROF_BASE_FILE_PLACE_H_
#define GECKOPROF_BASE_FILE_PLACE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// FilePlace: what the name of a file to be written leads to, and so how it is to be written.
//
//   out.json                                  kReplace out.json
//   out.json -> ../kept/a.json                kReplace ../kept/a.json, whether it exists or not
//   /dev/stdout -> /proc/self/fd/1, a file    kInPlace
//   out.json that something is mounted on     kInPlace
//   /dev/null, a FIFO, a link to one          kStream
//
// Links are followed here, since rename(2) would replace the link; but never one that the kernel would not follow for
// whoever fears other users' links (proc(5), protected_symlinks). Threads: one at a time. Context: raw system calls
// only, no memory; errno is not touched. Large: some KiB.
struct FilePlace {
  enum class Way : uint8_t {
    kReplace,  // a regular file or none yet: another one takes its place
    kInPlace,  // a regular file whose name cannot be given to another: known by a link of /proc, mounted, or another
               // user's in a folder such as /tmp
    kStream,   // no regular file
  };
  static constexpr size_t kMostBytes = 4200;  // PATH_MAX, and what a link's folder adds

  // Returns 0, or what errno(3) says of it.
  int Find(const char* path);

  // Gives the file of a descriptor, which is to replace one of this `status`, its mode; owner and group too, where we
  // may. Where the group cannot be kept its rights are not given to another one.
  static void GiveRights(const struct stat& status, int fd);

  // Whether a file or folder has its name from the kernel: what is in /proc takes no profile, though root may open it.
  static bool IsOfTheKernel(int fd);

  // The folder of `file`, opened with O_PATH, and the rest of the name.
  Fd OpenFolder();
  std::string_view folder() const;
  const char* name() const { return file + folder().size(); }

  Way way = Way::kReplace;
  bool exists = false;
  char file[kMostBytes] = {};  // no link
  struct stat status = {};     // if it exists

 private:
  int Follow(const struct stat& link, const Fd& folder);
  bool IsStuck(const struct stat& info, const Fd& folder) const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_FILE_PLACE_H_
