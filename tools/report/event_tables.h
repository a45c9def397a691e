// Tables of what happened when: markers, the phases of a start, allocations, input and output.
#ifndef GECKOPROF_TOOLS_REPORT_EVENT_TABLES_H_
#define GECKOPROF_TOOLS_REPORT_EVENT_TABLES_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/event_figures.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// At most `top` rows each. Markers by name, or by type (of a model with ProfileDetail::kFull): the longest in total
// first, then the most frequent.
ReportTable MarkerTable(const ProfileModel& model, size_t top, bool by_type);
ReportTable StartupTable(const ProfileModel& model, size_t top);
ReportTable EventTable(const ProfileModel& model, EventTopic topic, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_EVENT_TABLES_H_
