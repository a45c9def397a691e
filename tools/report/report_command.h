#ifndef GECKOPROF_TOOLS_REPORT_REPORT_COMMAND_H_
#define GECKOPROF_TOOLS_REPORT_REPORT_COMMAND_H_

#include <span>

namespace geckoprof {

// `geckoprof report ...`: args[0] is "report". Returns the exit status: 0, 1 (the profile cannot be read), 2 (wrong
// use).
int ReportMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_REPORT_COMMAND_H_
