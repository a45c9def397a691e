// libgeckoprofiler_hooks.so from this side, if it is in the process.
#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_HOOKS_LINK_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_HOOKS_LINK_H_

#include <cstdint>

namespace geckoprof {

// Returns the features that the library has, or 0 without it. It asks the loader, so not signal context.
uint32_t FeaturesOfHooks();

// Lets the library write the sums that it has so far, before a recording ends or is written. Likewise.
void WriteHookSums();

// Looks up what LeaveOutThread needs. Likewise. Called before this library has threads.
void FindHooks();

// The calling thread is one of this library's. It may have descriptors of its own, whose numbers mean other files to
// the program. Nothing that it calls from now on is recorded. Context: any.
void LeaveOutThread();

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_HOOKS_LINK_H_
