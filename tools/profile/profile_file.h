#ifndef GECKOPROF_TOOLS_PROFILE_PROFILE_FILE_H_
#define GECKOPROF_TOOLS_PROFILE_PROFILE_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace geckoprof {

// No profile that a viewer can open is larger; a gzip file that claims to be is refused before its memory is asked for.
inline constexpr size_t kMaxProfileBytes = size_t{1} << 30;

// The text of a profile file, or of standard input ("-"), unpacked if it is gzip (by its first bytes, whatever its
// name). Errors do not name the file.
absl::StatusOr<std::string> ReadProfileFile(const std::string& path, size_t max_bytes = kMaxProfileBytes);

// Returns the default name of a result. "a.json.gz" and "a.json" with ".syms.json.gz" give "a.syms.json.gz". Standard
// input ("-") counts as "profile".
std::string ProfileNameBeside(const std::string& input, std::string_view ending);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_PROFILE_FILE_H_
