#ifndef GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_
#define GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace geckoprof {

// The text as one gzip member. One, not several: the browsers' own decompressor refuses bytes after the first member.
absl::StatusOr<std::string> GzipCompress(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_
