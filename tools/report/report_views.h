#ifndef GECKOPROF_TOOLS_REPORT_REPORT_VIEWS_H_
#define GECKOPROF_TOOLS_REPORT_REPORT_VIEWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// The tables of `geckoprof report --by`; their columns are listed in geckoprof-report(1).
enum class ReportView : uint8_t {
  kFunction,
  kFile,
  kLibrary,
  kCategory,
  kThread,
  kProcess,
  kMarker,
  kMarkerType,
  kStartup,
  kAllocation,
  kIo,
  kWait,
  kLock,
  kLoop,
  kOverhead,
};

std::optional<ReportView> ReportViewNamed(std::string_view name);
std::string_view ReportViewName(ReportView view);
// "function|file|...".
std::string ReportViewNames();
std::vector<std::string> ListReportViews();
// Whether the model must have been loaded with ProfileDetail::kFull.
bool NeedsDetail(ReportView view);

// At most `top` rows. `summary` is of the same model.
ReportTable MakeReportTable(const ProfileModel& model, const ProfileSummary& summary, ReportView view, size_t top,
                            bool with_idle);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_REPORT_VIEWS_H_
