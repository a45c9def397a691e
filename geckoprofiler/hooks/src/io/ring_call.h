#ifndef GECKOPROF_HOOKS_IO_RING_CALL_H_
#define GECKOPROF_HOOKS_IO_RING_CALL_H_

#include "io/io_recorder.h"

namespace geckoprof {

// A call that has entered the kernel for a ring. `ring` is its descriptor, or -1 if that is unknown. A system call with
// IORING_ENTER_REGISTERED_RING has no descriptor, but a number of another kind.
[[gnu::always_inline]] inline void NoteRingCall(const IoFunction& function, int ring, geckoprof_time start) {
  if (ring >= 0) {
    g_io_recorder.NoteDescriptor(function, ring, start, 0);
  } else {
    g_io_recorder.NoteClass(function, IoClass::kOther, "anon_inode:[io_uring]", start, 0);
  }
}

// Returns the descriptor of a ring that a system call was given.
inline int RingDescriptor(long ring, unsigned long flags) {
  constexpr unsigned long kIsRegistered = 1ul << 4;
  return (flags & kIsRegistered) == 0 ? static_cast<int>(ring) : -1;
}

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_RING_CALL_H_
