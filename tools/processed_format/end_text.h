// The ends of processes in the words of a shell.
#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_END_TEXT_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_END_TEXT_H_

#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Returns "Segmentation fault", or "Signal 70" for a number without a description.
std::string SignalDescription(int signal);
// Returns "SIGSEGV", or "signal 70" for a number without a name.
std::string SignalName(int signal);
// Returns "exit status 3".
std::string ExitText(int status);

// Returns the cause of a process's crash, such as "no memory is mapped at address 0x10" or "sent by process 12 (kill)".
// It is empty for abort(3).
std::string CrashCause(const ProcessProfile& process);

// Returns the end of a process, such as "exit status 3", or "Segmentation fault of thread worker (1234): no memory is
// mapped at address 0x10". The result is the end reason if the process told nothing else.
std::string EndText(const ProcessProfile& process);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_END_TEXT_H_
