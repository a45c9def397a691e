#ifndef GECKOPROF_TOOLS_RECORD_LATE_PROCESSES_H_
#define GECKOPROF_TOOLS_RECORD_LATE_PROCESSES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// A process that is there, and of which the recording may hold nothing.
struct LateProcess {
  int32_t pid = 0;             // as itself knows it: in its innermost pid namespace
  std::string name;            // the kernel's, up to 15 bytes
  uint32_t pid_namespace = 0;  // the kernel's number of that; 0: not known
};

// The processes that were started with the environment of the recording in `session`, and live: one that was forked or
// spawned as the program ended may not have come to our code yet, and one of a statically linked program never will.
// Only those whose environment this user may read; none without /proc. Takes some 10 us a process of the machine.
std::vector<LateProcess> ProcessesOfSession(std::string_view session);

// Whether that process, by its folder in /proc, has the environment of the recording in `session`.
bool IsOfSession(const std::string& folder, std::string_view session);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_LATE_PROCESSES_H_
