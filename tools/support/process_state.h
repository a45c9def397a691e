#ifndef GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_
#define GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geckoprof/control/process_state.h"

namespace geckoprof {

// Returns the processes of this machine, or pid namespace, as /proc has them, in no order. There are none without
// /proc.
std::vector<pid_t> ProcessIds();

// NamespacedPid is the number that a process has in its innermost pid namespace. That is ours where `pid_namespace` is
// 0.
struct NamespacedPid {
  pid_t pid;
  uint32_t pid_namespace;

  // A number alone is one of our namespace.
  NamespacedPid(pid_t number, uint32_t name_space = 0)  // NOLINT: implicit
      : pid(number), pid_namespace(name_space) {}
  auto operator<=>(const NamespacedPid&) const = default;
};

// PidNamespaces: whether processes live whose numbers are of whatever pid namespace (pid_namespaces(7)). A number of
// another namespace than ours, that of a container say, is here another process's, or nobody's.
//
// A namespace has the kernel's number for it, the inode of /proc/PID/ns/pid; 0 stands for one that is not known, and
// counts as ours. So do all where our own is not known, without /proc.
// Threads: one.
class PidNamespaces {
 public:
  PidNamespaces() : own_(NumberOf("/proc/self")) {}

  // The process has that folder below /proc. Returns 0 if this user may not know it.
  static uint32_t NumberOf(const std::string& proc_folder);
  // Its number as it knows it itself, in its innermost namespace; 0 where the kernel does not say (before 4.1).
  static pid_t InnermostPid(const std::string& proc_folder);

  bool IsOurs(uint32_t pid_namespace) const { return pid_namespace == 0 || own_ == 0 || pid_namespace == own_; }

  // Returns the pid with the number 0 for our namespace, so that a process has one name.
  NamespacedPid NameOf(uint32_t pid_namespace, pid_t pid) const {
    return {pid, IsOurs(pid_namespace) ? 0 : pid_namespace};
  }

  // The live processes of other namespaces, with the numbers that they have in ours. It looks at all processes of the
  // machine, which takes some 10 us each. Those whose namespace this user may not know are not there.
  std::map<NamespacedPid, pid_t> FindOthers() const;

  // As ProcessLives. The first question about another namespace calls FindOthers, and answers about them are of that
  // time.
  bool Lives(uint32_t pid_namespace, pid_t pid);

 private:
  const uint32_t own_;
  std::optional<std::map<NamespacedPid, pid_t>> others_;  // of the first question
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_PROCESS_STATE_H_
