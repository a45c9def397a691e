#ifndef GECKOPROF_BASEPROFILER_HOOKS_SIGNAL_HOOKS_H_
#define GECKOPROF_BASEPROFILER_HOOKS_SIGNAL_HOOKS_H_

#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// Notes in the calling thread's new slot what its signal mask is, which it has from the thread that made it. `hidden`:
// the signal, if any, that the program believes to be blocked there.
void InheritSignalMask(ThreadSlot& slot, int hidden);

// Looks up what the hooks here want of libc. For the library's constructor: later the loader's lock may be held by a
// thread that waits for the caller.
void ResolveSignalFunctions();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_SIGNAL_HOOKS_H_
