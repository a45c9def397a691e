#ifndef GECKOPROF_HOOKS_LOCKS_WAIT_HOOKS_H_
#define GECKOPROF_HOOKS_LOCKS_WAIT_HOOKS_H_

#include <errno.h>

#include "locks/wait_recorder.h"
#include "runtime/next_function.h"

// The function behind the hook NAME. A second argument is the version of libc's function.
#define GECKOPROF_NEXT(NAME, ...) \
  static constinit geckoprof::NextFunction g_next_##NAME{#NAME, &NAME __VA_OPT__(, ) __VA_ARGS__};

namespace geckoprof {

// Returns whether a function with this result may have waited. It has not if it refused its arguments.
inline bool IsEndOfWait(int result) { return result == 0 || result == ETIMEDOUT || result == EOWNERDEAD; }

// Look up the functions behind the hooks.
void FindNextLockFunctions();
void FindNextWaitFunctions();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LOCKS_WAIT_HOOKS_H_
