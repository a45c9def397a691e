#ifndef GECKOPROF_TOOLS_REPORT_HTML_BASE64_TEXT_H_
#define GECKOPROF_TOOLS_REPORT_HTML_BASE64_TEXT_H_

#include <string>
#include <string_view>

namespace geckoprof {

// RFC 4648's base 64, padded: letters, digits, "+", "/" and "=", nothing that means anything in HTML.
std::string Base64Text(std::string_view bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_BASE64_TEXT_H_
