#include "tools/report/html/html_report.h"

namespace geckoprof {

// GECKOPROF_HTML_ABSENCE is what CMake found out.
HtmlPage HtmlPage::Built() { return {{}, {}, GECKOPROF_HTML_ABSENCE}; }

}  // namespace geckoprof
