#ifndef GECKOPROF_TOOLS_RECORD_PUBLIC_LIBRARY_H_
#define GECKOPROF_TOOLS_RECORD_PUBLIC_LIBRARY_H_

#include <string>
#include <utility>

namespace geckoprof {

// PublicLibrary: the library's path as every user may load it.
//
// A program that root records may change its user and start others, for which the loader looks for the preloaded
// library again. Where they may not read it (a build in root's home) it would print an error into their stderr. Then a
// copy in a temporary folder serves: /tmp/geckoprof-lib-XXXXXX/libbaseprofiler.so. Whoever records as an ordinary user
// cannot become another, so the library is taken as it lies.
//
// Lifetime: the destructor removes the copy; processes that have it mapped keep it.
class PublicLibrary {
 public:
  explicit PublicLibrary(const std::string& library);
  ~PublicLibrary();
  PublicLibrary(const PublicLibrary&) = delete;
  PublicLibrary& operator=(const PublicLibrary&) = delete;

  const std::string& path() const { return path_; }

  // Whether users without any right of their own may read the file: it and all folders above it say so.
  static bool IsReadableByAll(const std::string& file);

 private:
  bool CopyTo(const std::string& library, std::string folder);

  std::string path_;
  std::string folder_;  // of the copy; empty: there is none
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PUBLIC_LIBRARY_H_
