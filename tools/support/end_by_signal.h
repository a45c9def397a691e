#ifndef GECKOPROF_TOOLS_SUPPORT_END_BY_SIGNAL_H_
#define GECKOPROF_TOOLS_SUPPORT_END_BY_SIGNAL_H_

namespace geckoprof {

// Ends the process as the signal does that nobody handles, whatever was set for it, without a core file: whoever waits
// for the process is told the signal. What is still in stdio's buffers is lost.
[[noreturn]] void EndBySignal(int signal_number);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_END_BY_SIGNAL_H_
