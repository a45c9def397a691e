#ifndef GECKOPROF_TOOLS_REPORT_TEXT_REPORT_H_
#define GECKOPROF_TOOLS_REPORT_TEXT_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

// ListedThreads: which of a profile's threads a list of at most so many lines names, and what the others come to. A
// script's hundred helpers that lived for a moment are left out before any that did something.
struct ListedThreads {
  std::vector<size_t> rows;  // of summary.threads, in their order
  size_t others = 0;
  std::optional<int64_t> cpu_ns;  // of the others; nothing: none of them has it
  double samples = 0;             // likewise
};

// Lists all threads if they fit. Otherwise threads without markers are left out first, if they have at most a hundredth
// of what the largest thread has. That holds for CPU time, rows and bytes. Idle rows count, because a thread that only
// waits has lived.
ListedThreads ListThreads(const ProfileSummary& summary, size_t most);

// The report for a reader. `top` limits each list; what is left out is said. Every string of the file is cleaned.
std::string WriteTextReport(const ProfileModel& model, const ProfileSummary& summary, const std::string& file,
                            size_t top, const TerminalStyle& style);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_TEXT_REPORT_H_
