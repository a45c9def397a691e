#ifndef GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LOADER_H_
#define GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LOADER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// The text that `perf script` prints, with its default fields or more:
//
//   python3  4711/4712 [001]  1234.567891:     250000 cpu-clock:u:
//               7f31c2 _PyEval_EvalFrameDefault+0x1c2 (/usr/bin/python3.11)
//                 4010 main (inlined)
//             main.c:12
//
// One event's samples are samples, one each whatever the period; those of other events are markers. It is the one that
// `event` names, or that PerfEvents chooses. `notes` gets a line about it where there are several, and one where the
// periods differ and mean something. Times count from the
// smallest; without them (`-F -time`) samples are 1 ms apart. Without the field "pid" (`-F +pid`) all threads are taken
// for one process's. Periods of cpu-clock and task-clock are CPU ns. A line that fits nowhere is an error that names
// it.
absl::StatusOr<ProfileModel> LoadPerfScript(std::string_view text, std::string_view event = {},
                                            std::vector<std::string>* notes = nullptr);

// Whether the first line that says something is a sample's.
bool LooksLikePerfScript(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LOADER_H_
