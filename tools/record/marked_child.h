#ifndef GECKOPROF_TOOLS_RECORD_MARKED_CHILD_H_
#define GECKOPROF_TOOLS_RECORD_MARKED_CHILD_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// MarkedChild: a forked child that said in the session directory that it is there (session_format.h).
struct MarkedChild {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;  // 0: it did not say so: killed, or it called exec
  std::string name;    // the kernel's, of the thread that forked

  // From a link's name and target. False for any other name, and for what no library writes.
  [[nodiscard]] bool Parse(std::string_view file_name, std::string_view target);

  // Whether one of the recorded processes is this child, or what it became by exec.
  bool IsAmong(std::span<const ProcessProfile> processes) const;

  // The process, without samples. What it shares with the others of the recording comes from its parent or, without
  // one, from the first. REQUIRES: there is one.
  ProcessProfile ToProcess(std::span<const ProcessProfile> recorded) const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_MARKED_CHILD_H_
