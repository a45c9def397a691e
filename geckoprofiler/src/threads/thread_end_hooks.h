// What happens to a thread that did not ask for it: its end, and a fork of the process.
//
// A pthread key tells of the end, not the destructor of a thread_local object, which would keep this library from being
// unloaded for as long as one registered thread lives. When the library is unloaded, or the process ends, the key goes;
// threads that end later are then unregistered by nobody, which costs their records' memory.
#ifndef GECKOPROF_GECKOPROFILER_THREAD_END_HOOKS_H_
#define GECKOPROF_GECKOPROFILER_THREAD_END_HOOKS_H_

namespace geckoprof {

// thread_ends: on the thread that ends, if it asked for it. in_forked_child: on the thread that forked, in the child.
// The first call counts.
void InstallThreadEndHooks(void (*thread_ends)(), void (*in_forked_child)());
// Whether the calling thread wants thread_ends. Not before InstallThreadEndHooks.
void WatchThreadEnd(bool watch);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_END_HOOKS_H_
