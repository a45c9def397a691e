#ifndef GECKOPROF_HOOKS_RUNTIME_INSIDE_HOOK_H_
#define GECKOPROF_HOOKS_RUNTIME_INSIDE_HOOK_H_

#include <errno.h>

namespace geckoprof {

class InsideHook;

// The recording that the thread is in, or one that a jump of the program has left. Constant-initialised and without a
// destructor, so access is one instruction.
extern constinit thread_local const InsideHook* t_inside_hook __attribute__((tls_model("initial-exec")));

// InsideHook: the time in which a hook records. Other hooks that it calls then, and those of a signal handler that
// interrupts it, record nothing. The program's errno stays as it was.
//
//   stack    main | hook: InsideHook | base | handler: hook       its frame is below: the thread is inside
//            main | hook                                          a handler has jumped out: the frame is above, or
//            level
//
// Threads: one. Context: any. REQUIRES: !IsInsideHook().
class InsideHook {
 public:
  InsideHook() : outer_(t_inside_hook), errno_(errno) { t_inside_hook = this; }
  ~InsideHook() {
    t_inside_hook = outer_;
    errno = errno_;
  }
  InsideHook(const InsideHook&) = delete;
  InsideHook& operator=(const InsideHook&) = delete;

 private:
  const InsideHook* const outer_;  // that a jump has left, or of another stack
  const int errno_;
};

// True while the thread records something for a hook. A handler on another stack may get the wrong answer. Base then
// drops its marker.
[[gnu::always_inline]] inline bool IsInsideHook() {
  const InsideHook* const inside = t_inside_hook;
  return inside != nullptr && __builtin_frame_address(0) < static_cast<const void*>(inside);
}

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_INSIDE_HOOK_H_
