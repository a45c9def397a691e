// What libc tells us about: forks and the end of the process.
#ifndef GECKOPROF_BASEPROFILER_PRELOAD_EXIT_HOOKS_H_
#define GECKOPROF_BASEPROFILER_PRELOAD_EXIT_HOOKS_H_

namespace geckoprof {

// Registers with pthread_atfork and atexit, once. Registered before anybody else's, so our exit handler runs after all
// others. Context: early context is fine.
void RegisterExitHooks();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PRELOAD_EXIT_HOOKS_H_
