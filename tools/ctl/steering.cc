#include "tools/ctl/steering.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "geckoprof/control/process_state.h"

namespace geckoprof {

absl::StatusOr<ControllableProcess> FindControllable(pid_t pid) {
  std::string why;
  std::optional<ControllableProcess> process = ControllableProcess::Find(pid, why);
  if (process.has_value()) return *std::move(process);
  const bool is_of_other = geteuid() != 0 && ReadProcessUser(pid).value_or(geteuid()) != geteuid();
  return is_of_other ? absl::PermissionDeniedError(why) : absl::FailedPreconditionError(why);
}

absl::StatusOr<RunningSegment> FindRunningSegment(const ControllableProcess& process) {
  std::string why;
  std::optional<RunningSegment> segment = RunningSegment::Find(process, why);
  if (!segment.has_value()) return absl::NotFoundError(why);
  return *std::move(segment);
}

absl::Status Obey(const ControllableProcess& process, ControlCommand command,
                  const std::vector<std::string>& settings) {
  std::string why;
  return process.Obey(command, settings, why) ? absl::OkStatus() : absl::FailedPreconditionError(why);
}

void AskToFlush(const ControllableProcess& process) {
  std::string why;
  (void)process.Send(ControlCommand::kFlush, {}, ControllableProcess::kPatienceNs, why);
}

}  // namespace geckoprof
