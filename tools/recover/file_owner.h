#ifndef GECKOPROF_TOOLS_RECOVER_FILE_OWNER_H_
#define GECKOPROF_TOOLS_RECOVER_FILE_OWNER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace geckoprof {

// FileOwner is the process that made a file, with what is known of the time at which it began.
struct FileOwner {
  pid_t pid = 0;               // by the file's name
  uint64_t start_ticks = 0;    // the kernel's start of the process; 0: unknown
  int64_t running_ns = 0;      // a time on CLOCK_MONOTONIC at which the process ran; 0: unknown
  int64_t file_changed_s = 0;  // since the epoch; counts if nothing else is known

  // Reads what a segment says of its process. The file may be anything.
  static FileOwner OfSegment(pid_t pid, const std::string& path, int64_t file_changed_s);

  // Returns whether the process lives. The kernel may have given its id to another process by now. A process that began
  // after the file was made is another one.
  bool Lives() const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_FILE_OWNER_H_
