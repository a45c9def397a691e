#ifndef GECKOPROF_TOOLS_RECORD_PUBLIC_LIBRARY_H_
#define GECKOPROF_TOOLS_RECORD_PUBLIC_LIBRARY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// PublicLibrary: the path of a library as every user may load it.
//
// A program that root records may change its user and start others, for which the loader looks for the preloaded
// library again. Where they may not read it (a build in root's home) it would print an error into their stderr. A copy
// then serves, such as /tmp/geckoprof-lib-XXXXXX/libbaseprofiler.so. The folder may also lie in $TMPDIR, if that is
// trusted (PrivateFolder). A program of an ordinary user cannot become another one's, so the library is taken as it
// lies.
//
// Lifetime: the copy is to go with the recording; but where a process goes on that has it in LD_PRELOAD, the loader
// would print that error into the stderr of each program that it starts. So the copy stays then, for `geckoprof recover
// --remove-stale`, which also finds that of a recorder that was killed. Who records holds a lock (flock(2)) on the
// folder.
class PublicLibrary {
 public:
  explicit PublicLibrary(const std::string& library);
  ~PublicLibrary() { Remove(); }
  PublicLibrary(const PublicLibrary&) = delete;
  PublicLibrary& operator=(const PublicLibrary&) = delete;

  const std::string& path() const { return path_; }
  const std::string& original() const { return original_; }

  // Removes the copy, if there is one, unless somebody has it. False: it stays. May be called again.
  bool Remove();

  // The name of the copy: that of the library, without its version.
  static std::string FileName(std::string_view library);
  // Whether a copy's folder may be called so.
  static bool IsFolderName(std::string_view name);
  // Whether a process has the copy in its environment or mapped. One of which this user may not know it (root without
  // CAP_SYS_PTRACE) counts as having it if it began after the copy was made, at `made_s` since the epoch. Takes some
  // 50 us a process of the machine.
  static bool IsUsed(std::string_view folder_name, int64_t made_s);

  // Whether users without any right of their own may read the file: it and all folders above it say so.
  static bool IsReadableByAll(const std::string& file);

 private:
  bool CopyTo(const std::string& library, const std::string& parent);

  const std::string original_;
  std::string path_;
  std::string folder_;  // of the copy; empty: there is none
  Fd lock_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PUBLIC_LIBRARY_H_
