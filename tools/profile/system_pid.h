#ifndef GECKOPROF_TOOLS_PROFILE_SYSTEM_PID_H_
#define GECKOPROF_TOOLS_PROFILE_SYSTEM_PID_H_

#include <string>
#include <string_view>

namespace geckoprof {

// A process that ran several programs, by exec, or was recorded anew, is in a profile once for each of them: as "4711",
// "4711.1", "4711.2" in the processed format, in Gecko's with ten million added for each program. Of several pid
// namespaces that have a process with this pid, all but the first are told apart as "1@1", "1@2" (in Gecko's format
// with 10^14 added for each). A pid that is written in no such way is returned as it is.

// The system's pid for one of the processed format.
std::string SystemPid(std::string_view pid);

// The processed format's pid for one of Gecko's.
std::string ProcessedPidOfGecko(std::string_view pid);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_SYSTEM_PID_H_
