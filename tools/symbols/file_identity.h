#ifndef GECKOPROF_TOOLS_SYMBOLS_FILE_IDENTITY_H_
#define GECKOPROF_TOOLS_SYMBOLS_FILE_IDENTITY_H_

#include <cstdint>
#include <string>

namespace geckoprof {

// FileIdentity: what stat says of a file, links followed: whether a path still leads to the same bytes and rights can
// be told later without reading them. That there is no file is an identity, too. The time of the last change of the
// inode (ctime) stands here because nobody can set it back.
struct FileIdentity {
  std::string path;
  bool exists = false;
  uint64_t size_bytes = 0, inode = 0;
  int64_t modified_ns = 0, changed_ns = 0;

  static FileIdentity Of(std::string path);
  bool operator==(const FileIdentity&) const = default;

  bool IsStillSo() const { return Of(path) == *this; }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_FILE_IDENTITY_H_
