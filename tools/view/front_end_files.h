#ifndef GECKOPROF_TOOLS_VIEW_FRONT_END_FILES_H_
#define GECKOPROF_TOOLS_VIEW_FRONT_END_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

// FrontEndFiles: a folder with a build of the viewer, which is one page (index.html) for all its addresses, and the
// files that this page names by paths from the root ("/index-ABCD.js").
//
//   /, /from-url/..., anything without a dot in its last part     index.html
//   /name                                                         DIR/name, if it is a regular file inside
//
// Nothing outside of the folder is opened, wherever links in it lead. Threads: many.
class FrontEndFiles {
 public:
  struct File {
    std::shared_ptr<const Fd> fd;  // null: there is none
    uint64_t size_bytes = 0;
    std::string type;  // "text/html; charset=utf-8"
  };

  // An error says what is wrong with the folder.
  static absl::StatusOr<FrontEndFiles> Open(const std::string& folder);

  // `path`: of the request, unescaped.
  File Find(std::string_view path) const;

 private:
  explicit FrontEndFiles(std::string root) : root_(std::move(root)) {}
  File OpenFile(const std::string& path) const;

  std::string root_;  // without links, no "/" at its end
};

// The type that a browser needs to know, by the end of the file's name.
std::string_view FrontEndFileType(std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_FRONT_END_FILES_H_
