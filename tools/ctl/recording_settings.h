// `geckoprof ctl set`: other settings for a recording that runs.
#ifndef GECKOPROF_TOOLS_CTL_RECORDING_SETTINGS_H_
#define GECKOPROF_TOOLS_CTL_RECORDING_SETTINGS_H_

#include <string>

#include "absl/status/status.h"
#include "tools/ctl/steering.h"
#include "tools/record/start_options.h"

namespace geckoprof {

// Returns which of the options cannot be changed while a recording runs, or that none is given. Empty: all is well.
std::string FaultOfChange(const StartOptions& options);

// Changes what the options name. The recorded data stays. The capacity of a process can grow, unless a recorder holds
// the limit of its session. A warning on stderr tells if there was not enough room for it.
absl::Status ChangeSettings(const ControllableProcess& process, const RunningSegment& segment,
                            const StartOptions& options);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CTL_RECORDING_SETTINGS_H_
