#ifndef GECKOPROF_TOOLS_RECORD_PROCESS_ENDS_H_
#define GECKOPROF_TOOLS_RECORD_PROCESS_ENDS_H_

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/support/process_state.h"

namespace geckoprof {

// ProcessEnds: how the processes of a session end that are not children of the recorder. A signal that kills a process
// leaves no trace in its segment.
//
//   Look:       a segment in the session directory is new -> pidfd_open(2)
//   later Look: the process has ended and was waited for  -> ioctl(PIDFD_GET_INFO) has its status
//
// The kernel tells the status since Linux 6.15. Before, and for a process that ends before its first look, it is
// unknown. Processes beyond kMostOpen at one time are left out.
//
// Threads: one.
class ProcessEnds {
 public:
  // A flight recorder has a window, and forgets how processes ended before it. It is 0 without a window.
  explicit ProcessEnds(std::string session, int64_t window_ns = 0)
      : session_(std::move(session)), window_ns_(window_ns) {}

  // Takes note of new processes, and of those that have ended. Does nothing unless something is new in the session
  // directory, or it is due at `now_ns` (MonotonicNs). Returns after how many ns it is due again.
  int64_t Look(int64_t now_ns);
  // Takes note of those that have ended.
  void CollectEnds();

  // Returns the status of the process of a pidfd, in the form of waitpid(2), if it has ended and the kernel tells it.
  static std::optional<int> StatusOf(const Fd& process);

  // How a process ended, and when this was found out.
  struct End {
    int status;  // in the form of waitpid(2)
    int64_t seen_ns;
  };
  const std::map<NamespacedPid, End>& ends() const { return ends_; }
  size_t open_count() const { return open_.size(); }  // of descriptors

 private:
  static constexpr size_t kMostOpen = 200;  // descriptors of the recorder

  bool HasNews();
  void OpenNew();
  static bool IsMaker(pid_t process, const SegmentHeader& header);

  using Segments = std::set<std::pair<pid_t, uint32_t>>;  // processes and their images

  const std::string session_;
  const int64_t window_ns_;
  const PidNamespaces namespaces_;
  timespec changed_ = {};        // the session directory, when it was listed last
  bool has_unfinished_ = false;  // a segment was in the making
  int64_t due_ns_ = 0, not_before_ns_ = 0;
  Segments seen_;  // those that are there
  std::map<NamespacedPid, Fd> open_;
  std::map<NamespacedPid, End> ends_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROCESS_ENDS_H_
