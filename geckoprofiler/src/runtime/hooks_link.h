#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_HOOKS_LINK_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_HOOKS_LINK_H_

#include <cstdint>

namespace geckoprof {

// HooksLink: libgeckoprofiler_hooks.so from this side. Without that library, the functions do nothing.
//
// Threads: any. Context: any, but for Find.
class HooksLink {
 public:
  // Looks the functions up. It takes the loader's lock. The others must not, because their callers hold locks, and a
  // constructor of a library may wait for these.
  static void Find();

  // Returns the features that the library has, or 0 without it. Calls Find if nobody has.
  static uint32_t Features();
  // Lets the library write the sums that it has so far, before a recording ends or is written.
  static void WriteSums();
  // The calling thread is one of this library's. It may have descriptors of its own, whose numbers mean other files to
  // the program. Nothing that it calls from now on is recorded.
  static void LeaveOutThread();
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_HOOKS_LINK_H_
