// Text forms of a GNU build id, which symbol servers and profiles use.
#ifndef GECKOPROF_MODULES_BUILD_ID_H_
#define GECKOPROF_MODULES_BUILD_ID_H_

#include <string>
#include <string_view>

namespace geckoprof {

// Returns the breakpad id. It is the first 16 bytes of the build id as a GUID in upper-case hex, and the age "0". The
// first three fields of a GUID (4, 2 and 2 bytes) are byte-swapped. A shorter build id is padded with zero bytes. An
// empty one gives "".
//   8ef6f2ba b1ab 60c7 ... -> "BAF2F68EABB1C760...0"
std::string BreakpadId(std::string_view build_id);

// Returns the code id, which is the whole build id in lower-case hex.
std::string CodeId(std::string_view build_id);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_BUILD_ID_H_
