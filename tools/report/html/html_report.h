#ifndef GECKOPROF_TOOLS_REPORT_HTML_HTML_REPORT_H_
#define GECKOPROF_TOOLS_REPORT_HTML_HTML_REPORT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/profile/profile_model.h"
#include "tools/report/html/page_data.h"
#include "tools/report/profile_summary.h"
#include "tools/support/output_file.h"

namespace geckoprof {

// HtmlPage: the page without its data, made of tools/report/html/page when this was built: HTML, style and code in one
// text. The data go between the two parts, as base 64.
struct HtmlPage {
  // Returns the page of this build.
  static HtmlPage Built();

  std::string_view before_data, after_data;
  std::string_view absence;  // not empty: there is no page in this build; the reason and the remedy
};

// RFC 4648's base 64, padded: letters, digits, "+", "/" and "=", nothing that means anything in HTML.
std::string Base64Text(std::string_view bytes);

// A profile as one HTML page that needs nothing else, neither files nor a network.
//
//   page.before_data   <base 64 of gzip of JSON>   page.after_data
//
// Nothing of the profile is markup or code, whatever is in it: its bytes reach the browser's HTML parser as base 64
// only, and the page's code puts its texts into text nodes. Writes, does not commit.
absl::Status WriteHtmlReport(const ProfileModel& model, const ProfileSummary& summary, const PageOrigin& origin,
                             const HtmlPage& page, OutputFile* file);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_HTML_REPORT_H_
