#ifndef GECKOPROF_TOOLS_VIEW_SOURCE_TEXT_H_
#define GECKOPROF_TOOLS_VIEW_SOURCE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace geckoprof {

inline constexpr uint64_t kMaxSourceBytes = uint64_t{16} << 20;

// The text of a source file. An absolute path; a regular file, not in /proc, /sys or /dev wherever links lead; no
// larger than kMaxSourceBytes; no bytes that text does not have. Errors are sentences for whoever wanted to read it.
absl::StatusOr<std::string> ReadSourceText(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_SOURCE_TEXT_H_
