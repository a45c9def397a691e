// Tables of samples: by what their frames belong to, and by whose they are.
#ifndef GECKOPROF_TOOLS_REPORT_SAMPLE_TABLES_H_
#define GECKOPROF_TOOLS_REPORT_SAMPLE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// SampleGroups: samples and their CPU time summed up by what their frames belong to: functions, files, libraries,
// categories. Self is what ends in a group, total what has it anywhere in its stack, once a sample.
//
// Every operation is linear in the stack table, and nothing recurses: the depth of a stack is the file's choice.
struct SampleGroups {
  // In place of a group: frames that belong to none and are not shown, such as "(root)".
  static constexpr int32_t kLeftOut = -1;

  struct Group {
    double self_samples = 0, total_samples = 0;
    double self_cpu_ms = 0, total_cpu_ms = 0;
  };
  double samples = 0, cpu_ms = 0;  // of all that have a stack
  bool in_bytes = false;           // so are the samples: there is nothing else (MainMeasure)
  std::vector<Group> groups;

  // group_of_stack: for each row of model.stacks the group of its innermost frame, below `groups`, or kLeftOut.
  static SampleGroups Of(const ProfileModel& model, const std::vector<int32_t>& group_of_stack, size_t groups,
                         bool with_idle);
};

// The heaviest by self first, at most `top`.
ReportTable FunctionTable(const ProfileModel& model, size_t top, bool with_idle);
ReportTable FileTable(const ProfileModel& model, size_t top, bool with_idle);  // of a model with ProfileDetail::kFull
ReportTable LibraryTable(const ProfileModel& model, size_t top, bool with_idle);
ReportTable CategoryTable(const ProfileModel& model, size_t top, bool with_idle);
// Those with the most CPU time first.
ReportTable ThreadTable(const ProfileModel& model, const ProfileSummary& summary, size_t top);
ReportTable ProcessTable(const ProfileModel& model, const ProfileSummary& summary, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_SAMPLE_TABLES_H_
