// What the loader's list for debuggers says (System V ABI, DT_DEBUG). Neither dlinfo nor dl_iterate_phdr is asked: a
// sanitizer may stand in front of them and not be ready.
#ifndef GECKOPROF_BASEPROFILER_LIBC_LOADER_NAMESPACE_H_
#define GECKOPROF_BASEPROFILER_LIBC_LOADER_NAMESPACE_H_

#include <link.h>

#include <cstdint>

namespace geckoprof {

// Whether this library is in the program's own namespace. In one that dlmopen made nothing is recorded: beside another
// base, two would have the process's signal. It is found out by the library's constructor; before it is true. Threads:
// any.
bool IsInFirstNamespace();

// Whether the program was loaded with libraries beside libc and this one: then their constructors come next. As above.
bool HasOtherLibraries();
// How many of the list are neither its first, the program, nor one of those named: this library's dynamic section, the
// addresses of the loader and of the kernel's vDSO.
uint32_t CountOtherLibraries(const link_map* list, const void* own, uintptr_t loader, uintptr_t vdso);

// For the constructor, while the loader's lock is held.
void FindNamespace();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LIBC_LOADER_NAMESPACE_H_
