// Text for JSON: what is not UTF-8 becomes U+FFFD.
#ifndef GECKOPROF_BASE_UTF8_REPAIR_H_
#define GECKOPROF_BASE_UTF8_REPAIR_H_

#include <string>
#include <string_view>

namespace geckoprof {

// Well-formed in the sense of RFC 3629: shortest forms only, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// A copy in which each maximal ill-formed part is one U+FFFD, as the Unicode standard recommends (chapter 3.9).
std::string RepairUtf8(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_UTF8_REPAIR_H_
