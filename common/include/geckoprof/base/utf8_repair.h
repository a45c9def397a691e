// Text for JSON. Bytes that are not UTF-8 become U+FFFD.
#ifndef GECKOPROF_BASE_UTF8_REPAIR_H_
#define GECKOPROF_BASE_UTF8_REPAIR_H_

#include <string>
#include <string_view>

namespace geckoprof {

// Returns true if `text` is well-formed by RFC 3629. This allows shortest forms only. It excludes surrogates and values
// above U+10FFFF.
bool IsUtf8(std::string_view text);

// Returns a copy in which U+FFFD replaces each maximal ill-formed part. The Unicode standard recommends this (chapter
// 3.9).
std::string RepairUtf8(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_UTF8_REPAIR_H_
