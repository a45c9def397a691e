#ifndef GECKOPROF_TOOLS_RECORD_PROCESS_ENDS_H_
#define GECKOPROF_TOOLS_RECORD_PROCESS_ENDS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "geckoprof/base/fd.h"

namespace geckoprof {

// ProcessEnds: how the processes of a session end that are not children of the recorder. A signal that kills a process
// leaves no trace in its segment.
//
//   Look:       a segment in the session directory is new -> pidfd_open(2)
//   later Look: the process has ended and was waited for  -> ioctl(PIDFD_GET_INFO) has its status
//
// The kernel tells the status since Linux 6.15. Before, and for a process that ends between two looks, it is unknown.
// Processes of another pid namespace are left out, and so are those beyond kMostOpen at one time.
//
// Threads: one.
class ProcessEnds {
 public:
  explicit ProcessEnds(std::string session) : session_(std::move(session)) {}

  // Takes note of new processes, and of those that have ended. Returns the number of ns until the next call.
  int64_t Look();

  // The statuses of the processes that have ended, in the form of waitpid(2).
  const std::map<pid_t, int>& statuses() const { return statuses_; }

 private:
  static constexpr size_t kMostOpen = 200;  // descriptors of the recorder

  void OpenNew();

  const std::string session_;
  std::set<std::pair<pid_t, uint32_t>> seen_;  // processes and their images
  std::map<pid_t, Fd> open_;
  std::map<pid_t, int> statuses_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROCESS_ENDS_H_
