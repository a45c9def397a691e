#ifndef GECKOPROF_TOOLS_REPORT_TEXT_REPORT_H_
#define GECKOPROF_TOOLS_REPORT_TEXT_REPORT_H_

#include <cstddef>
#include <string>

#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

// The report for a reader. `top` limits each list; what is left out is said. Every string of the file is cleaned.
std::string WriteTextReport(const ProfileModel& model, const ProfileSummary& summary, const std::string& file,
                            size_t top, const TerminalStyle& style);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_TEXT_REPORT_H_
