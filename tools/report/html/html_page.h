#ifndef GECKOPROF_TOOLS_REPORT_HTML_HTML_PAGE_H_
#define GECKOPROF_TOOLS_REPORT_HTML_HTML_PAGE_H_

#include <string_view>

namespace geckoprof {

// HtmlPage: the page without its data, made of tools/report/html/page when this was built: HTML, style and code in one
// text. The data go between the two parts, as base 64.
struct HtmlPage {
  // What is in this build.
  static HtmlPage Built();

  std::string_view before_data, after_data;
  std::string_view absence;  // not empty: there is no page in this build; why, and what is to be done
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_HTML_PAGE_H_
