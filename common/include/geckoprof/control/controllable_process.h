#ifndef GECKOPROF_CONTROL_CONTROLLABLE_PROCESS_H_
#define GECKOPROF_CONTROL_CONTROLLABLE_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/config/control_request.h"

namespace geckoprof {

// ControllableProcess: a running process with libbaseprofiler.so that this user may steer (docs/design/control.md).
//
//   Find    pidfd_open(2), then the looks at /proc/PID      a later process with the same id is never meant
//   Send    a file below /proc/PID/root, then signals       until the process answers, for kPatienceNs at most
//
//   Command one request for each of many processes          until all have answered, or the time is over
//
// Each error is one line that names the process and the cause.
// Threads: one.
class ControllableProcess {
 public:
  static constexpr int64_t kPatienceNs = 2'000'000'000;

  // Returns nothing, and the reason in `why`, if the process is not one that this user may steer.
  static std::optional<ControllableProcess> Find(pid_t pid, std::string& why);

  pid_t pid() const { return pid_; }
  uid_t user() const { return user_; }
  // "process 4711 (python3)"
  const std::string& title() const { return title_; }
  // The kernel's name of the process.
  const std::string& name() const { return name_; }
  // Its folder below /proc, such as "/proc/4711".
  std::string folder() const;
  // The descriptor of the process (pidfd_open(2)). It is readable when the process has ended.
  const Fd& descriptor() const { return descriptor_; }
  bool HasEnded() const;

  // Sends a command. `settings` are lines as in an environment, for kStart and kSet. Returns nothing, and the reason in
  // `why`, if the process does not answer. REQUIRES: the lines fit into ControlRequest::settings.
  std::optional<ControlAnswer> Send(ControlCommand command, const std::vector<std::string>& settings,
                                    int64_t patience_ns, std::string& why) const;

  // Sends a command likewise. Returns false, and the reason in `why`, unless the answer is kDone.
  bool Obey(ControlCommand command, const std::vector<std::string>& settings, std::string& why) const;

  // Sends a command to all processes at once. Returns their answers in the same order. kUnseen and kTaken are no
  // answers: the process is stopped, has ended, cannot be reached, or was too slow.
  static std::vector<ControlAnswer> Command(std::span<const ControllableProcess> processes, ControlCommand command,
                                            const std::vector<std::string>& settings, int64_t patience_ns);

  // Returns the variables of base in the environment with which the process was started. They are what it would start
  // with by itself. Relative paths of profiles are made absolute.
  std::vector<std::string> Settings() const;

 private:
  class PendingRequest;

  ControllableProcess(pid_t pid, Fd descriptor) : pid_(pid), descriptor_(std::move(descriptor)) {}
  // Return the reason why not, or an empty text. `is_certain`: it holds although the process has ended meanwhile.
  std::string Inspect(bool& is_certain);
  std::string CheckListens() const;
  std::string CheckMayAnswer() const;
  std::string SendSignal(ControlValue value) const;
  bool BlocksForGood() const;
  bool BlocksInAllThreads() const;
  // Returns true if a signal or a debugger has stopped it.
  bool IsStopped() const;
  std::string WhyNoAnswer(ControlAnswer last) const;

  pid_t pid_;
  Fd descriptor_;
  uid_t user_ = 0;
  std::string name_, title_;
  bool is_filtered_ = false;  // by seccomp filters
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_CONTROLLABLE_PROCESS_H_
