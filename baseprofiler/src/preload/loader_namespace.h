#ifndef GECKOPROF_BASEPROFILER_PRELOAD_LOADER_NAMESPACE_H_
#define GECKOPROF_BASEPROFILER_PRELOAD_LOADER_NAMESPACE_H_

namespace geckoprof {

// Whether this library is in the program's own namespace. In one that dlmopen made nothing is recorded: beside another
// base, two would have the process's signal. It is found out by the library's constructor, from the loader's list for
// debuggers (no function of libc's is asked, which a sanitizer may stand in front of and is not ready for); before it
// is true. Threads: any.
bool IsInFirstNamespace();

// For the constructor, while the loader's lock is held.
void FindNamespace();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PRELOAD_LOADER_NAMESPACE_H_
