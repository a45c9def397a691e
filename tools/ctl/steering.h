// Control of processes (geckoprof/control), with the errors of the tools.
#ifndef GECKOPROF_TOOLS_CTL_STEERING_H_
#define GECKOPROF_TOOLS_CTL_STEERING_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/control/controllable_process.h"
#include "geckoprof/control/running_segment.h"

namespace geckoprof {

// PermissionDenied: the process is another user's.
absl::StatusOr<ControllableProcess> FindControllable(pid_t pid);
absl::StatusOr<RunningSegment> FindRunningSegment(const ControllableProcess& process);

// Returns an error unless the process has done what it was told.
absl::Status Obey(const ControllableProcess& process, ControlCommand command,
                  const std::vector<std::string>& settings = {});
// Asks the process to write what waits for its sampler. A process that cannot answer has written nearly all the same.
void AskToFlush(const ControllableProcess& process);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CTL_STEERING_H_
