#ifndef GECKOPROF_BASEPROFILER_HOOKS_THREAD_NAMES_H_
#define GECKOPROF_BASEPROFILER_HOOKS_THREAD_NAMES_H_

namespace geckoprof {

// Called after prctl(2) succeeded on the calling thread. If the call named the thread, the sampler reads the name at
// the next tick, or later if the thread has ended by then.
//
// Context: any. errno is unchanged.
void NoteThreadName(int option, unsigned long name);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_THREAD_NAMES_H_
