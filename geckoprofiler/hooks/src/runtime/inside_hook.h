#ifndef GECKOPROF_HOOKS_RUNTIME_INSIDE_HOOK_H_
#define GECKOPROF_HOOKS_RUNTIME_INSIDE_HOOK_H_

#include <errno.h>
#include <stdint.h>

namespace geckoprof {

class InsideHook;

// The recording that the thread is in, or one that a jump of the program has left. Constant-initialised and without a
// destructor, so access is one instruction.
extern constinit thread_local const InsideHook* t_inside_hook __attribute__((tls_model("initial-exec")));

// True while the thread records something for a hook, and for ever after LeaveOutThread. The answer may be wrong in a
// handler on another stack, and in the thread once such a handler has recorded. Base then drops the inner marker.
[[gnu::always_inline]] inline bool IsInsideHook() {
  const InsideHook* const inside = t_inside_hook;
  return inside != nullptr && __builtin_frame_address(0) < static_cast<const void*>(inside);
}

// InsideHook: the time in which a hook records. Other hooks that it calls then, and those of a signal handler that
// interrupts it, record nothing. The program's errno stays as it was.
//
//   stack    main | hook: InsideHook | base | handler: hook    below the object: the thread is inside
//            main | hook                                       level or above: a handler has jumped out
//
// Threads: one. Context: any. REQUIRES: !IsInsideHook().
class InsideHook {
 public:
  InsideHook() : errno_(errno) { t_inside_hook = this; }
  ~InsideHook() {
    t_inside_hook = nullptr;
    errno = errno_;
  }
  // Nothing that the thread calls from now on is recorded.
  static void LeaveOutThread() { t_inside_hook = ForEver(); }
  static bool IsThreadLeftOut() { return t_inside_hook == ForEver(); }
  InsideHook(const InsideHook&) = delete;
  InsideHook& operator=(const InsideHook&) = delete;

 private:
  static const InsideHook* ForEver() { return reinterpret_cast<const InsideHook*>(UINTPTR_MAX); }

  const int errno_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_INSIDE_HOOK_H_
