#ifndef GECKOPROF_HOOKS_IO_RING_LIBRARY_H_
#define GECKOPROF_HOOKS_IO_RING_LIBRARY_H_

namespace geckoprof {

// RingFunction: a function of liburing as the caller of a hook would have found it without the hook.
//
// liburing is often no library of the program, but of a plugin that was loaded with RTLD_LOCAL. Then RTLD_NEXT does not
// see it, and it is looked up in the scope of the calling library. A plugin may also have a copy of liburing in itself.
struct RingFunction {
  void* address = nullptr;  // null: there is none
  void* library = nullptr;  // liburing, which then stays until the end of the process. Null: a plugin has the function
  bool has_rings = false;   // its rings are as in Ring
};

// `hook` is the address of the hook, and `caller` an address in the calling library. Threads: any. Context: not signal
// context, because it takes the loader's lock. errno stays.
RingFunction FindRingFunction(const char* name, const void* hook, const void* caller);

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_RING_LIBRARY_H_
