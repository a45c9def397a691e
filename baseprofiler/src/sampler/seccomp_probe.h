#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SECCOMP_PROBE_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SECCOMP_PROBE_H_

#include <cstdint>

namespace geckoprof {

// Returns true if this process can make the system calls of a recording without being killed.
//
// A seccomp filter outlives exec (seccomp(2)), so a filter may be there before base. `harmless_filters` is the number
// of filters that are known to be harmless, because the recorder itself has them. -1 means that the number is unknown.
// A process with more filters is in a sandbox and is left alone.
//
// A filter shows its treatment of a call when the call is made. A child that shares memory as after vfork makes each
// call with arguments that do nothing, and the parent waits. Without filters there is no child. The number of filters
// comes from /proc/self/status, read with calls that the loader has just used. If /proc does not show it, prctl(2) is
// asked. A filter may also forbid the calls that make the child.
//
// Threads: any number may exist.
// Context: early context. The program sees no change, no SIGCHLD and no core file.
bool MayRecordUnderFilters(int32_t harmless_filters);

// Returns false if the last call of MayRecordUnderFilters has found that a filter kills for the calls that make the
// kernel's clocks interrupt threads (KernelTicks). A recording without them is possible.
// Threads: any. Context: any, signal safe.
bool MayUseClocksUnderFilters();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SECCOMP_PROBE_H_
