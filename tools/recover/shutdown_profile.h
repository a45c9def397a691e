// geckoprof recover --shutdown: what libbaseprofiler.so runs at the end of a process (docs/man/geckoprof-recover.1.md).
#ifndef GECKOPROF_TOOLS_RECOVER_SHUTDOWN_PROFILE_H_
#define GECKOPROF_TOOLS_RECOVER_SHUTDOWN_PROFILE_H_

#include <span>

namespace geckoprof {

// Writes the profile of one segment, which an inherited descriptor leads to. The process that recorded it still lives,
// and waits. args[0] is "--shutdown". Returns the exit status, a ShutdownStatus (segment_format.h).
int ShutdownMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_SHUTDOWN_PROFILE_H_
