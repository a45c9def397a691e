#ifndef GECKOPROF_TOOLS_CTL_CONTROLLED_SESSION_H_
#define GECKOPROF_TOOLS_CTL_CONTROLLED_SESSION_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "tools/ctl/steering.h"
#include "tools/record/session_limit.h"

namespace geckoprof {

// ControlledSession: the session directory of a recording, and the processes that record into it.
//
//   <session>/4711-0.segment   <-- the same file -->   a mapping of process 4711
//
// The mapping tells the processes, and their ids in the names do not. A container has ids of its own, and a process
// that has ended may have left its id to another one. A process that recorded into the session and stopped is not among
// them.
//
// The directory stays open. It may get another name meanwhile, and its name may get another directory.
// Threads: one.
class ControlledSession {
 public:
  // Refuses a symbolic link, a directory to which other users have access, and one in which nothing is of a recording.
  // Root alone may open the directory of another user.
  static absl::StatusOr<ControlledSession> Open(std::string path);

  // As given, without a slash at the end.
  const std::string& path() const { return path_; }
  // A path through the open directory.
  std::string held_path() const;
  // Returns `text` with the path as given in the place of the other one.
  std::string WithPath(std::string_view text) const;

  struct Member {
    ControllableProcess process;
    RunningSegment segment;
    uint64_t bytes;  // that its file takes
  };
  struct Members {
    std::vector<Member> recording;     // by pid
    std::vector<absl::Status> errors;  // of processes that live and cannot be looked at
  };
  Members FindMembers() const;

  struct Size {
    uint64_t bytes = 0;                 // that all files take
    uint64_t counted_bytes = 0;         // as far as they count for the limit
    std::optional<SessionLimit> limit;  // unknown if no segment is there
    size_t recordings = 0;              // segments, also archived ones
  };
  Size Measure(const Members& members) const;

 private:
  ControlledSession(std::string path, Fd folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  struct File;
  std::vector<File> ListFiles() const;

  std::string path_;
  Fd folder_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CTL_CONTROLLED_SESSION_H_
