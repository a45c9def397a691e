// How a GNU build id is written for those who look symbols up.
#ifndef GECKOPROF_MODULES_BUILD_ID_H_
#define GECKOPROF_MODULES_BUILD_ID_H_

#include <string>
#include <string_view>

namespace geckoprof {

// The breakpad id: the first 16 bytes of the build id as a GUID, that is its first three fields (4, 2 and 2 bytes)
// byte-swapped, in upper-case hex, then the age "0". A shorter build id is padded with zero bytes; an empty one gives
// "".
//   8ef6f2ba b1ab 60c7 ... -> "BAF2F68EABB1C760...0"
std::string BreakpadId(std::string_view build_id);

// The code id: the whole build id in lower-case hex.
std::string CodeId(std::string_view build_id);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_BUILD_ID_H_
