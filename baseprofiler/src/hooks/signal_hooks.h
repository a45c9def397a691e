#ifndef GECKOPROF_BASEPROFILER_HOOKS_SIGNAL_HOOKS_H_
#define GECKOPROF_BASEPROFILER_HOOKS_SIGNAL_HOOKS_H_

#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// Notes the calling thread's signal mask, which it inherited from its creator, in its new slot. `hidden` is the signal
// that the program believes to be blocked, or 0.
void InheritSignalMask(ThreadSlot& slot, int hidden);

// Looks up libc's functions for the hooks in this file. The library's constructor calls it. Later another thread may
// hold the loader's lock and wait for the caller.
void ResolveSignalFunctions();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_SIGNAL_HOOKS_H_
