#ifndef GECKOPROF_TOOLS_SUPPORT_REGULAR_FILE_H_
#define GECKOPROF_TOOLS_SUPPORT_REGULAR_FILE_H_

#include <string>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// Opens a file to read it, whose name comes from a profile or a segment. Only a regular file is opened, and none of
// /proc or /sys. The reason is that opening a device or a file of the kernel can have an effect of its own. `flags` are
// further ones of open(2), such as O_NOFOLLOW. The result holds -EINVAL if it is another kind of file, else the error
// of open.
Fd OpenRegularFile(const std::string& path, int flags = 0);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_REGULAR_FILE_H_
