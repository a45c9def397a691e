#ifndef GECKOPROF_BASEPROFILER_PRELOAD_LOADER_NAMESPACE_H_
#define GECKOPROF_BASEPROFILER_PRELOAD_LOADER_NAMESPACE_H_

namespace geckoprof {

// Whether this library is in the program's own namespace. In one that dlmopen made nothing is recorded: beside
// another base, two would have the process's signal. Takes the loader's lock. Threads:
// any.
bool IsInFirstNamespace();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PRELOAD_LOADER_NAMESPACE_H_
