// The process of the command itself.
#ifndef GECKOPROF_TOOLS_SUPPORT_OWN_PROCESS_H_
#define GECKOPROF_TOOLS_SUPPORT_OWN_PROCESS_H_

#include <string>

#include "absl/status/statusor.h"

namespace geckoprof {

// Ends the process as the signal does without a handler, so that the parent sees the signal. Another disposition of the
// signal has no effect, and there is no core file. The contents of stdio's buffers are lost.
[[noreturn]] void EndBySignal(int signal_number);

// Returns the folder of this program's file, with links resolved. The other files of the installation are found from
// there, so the installation may be moved.
absl::StatusOr<std::string> OwnFolder();

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_OWN_PROCESS_H_
