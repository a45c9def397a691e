#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SECCOMP_PROBE_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SECCOMP_PROBE_H_

#include <cstdint>

namespace geckoprof {

// Whether this process may make the system calls that recording needs without being killed for it.
//
// A seccomp filter outlives exec (seccomp(2)), so it may be there before we are. `harmless_filters`: so many filters
// are known to let us be, those that the recorder itself is under; a process under more of them, a sandbox's, is left
// alone. -1: nobody said. What filters do with a call can only be found out by making it: a child that shares our
// memory, as a vfork's, makes each of them with arguments that do nothing, while we wait. Whether there is a filter,
// and how many, is read from /proc/self/status with calls that the loader has just made itself; without filters there
// is no child. Where /proc does not tell, prctl(2) is asked. Making the child takes calls that a filter may forbid,
// too. Context: early context; single-threaded or not. Nothing of the program's is changed: no SIGCHLD, no core file.
bool MayRecordUnderFilters(int32_t harmless_filters);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SECCOMP_PROBE_H_
