#ifndef GECKOPROF_BASEPROFILER_HOOKS_THREAD_NAMES_H_
#define GECKOPROF_BASEPROFILER_HOOKS_THREAD_NAMES_H_

namespace geckoprof {

// The calling thread has called prctl(2) with success: if that gave it a name, the sampler hears of it at the next
// tick, or when the thread has ended by then. Any context; errno stays.
void NoteThreadName(int option, unsigned long name);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_THREAD_NAMES_H_
