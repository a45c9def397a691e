// Questions to the loader's list for debuggers (System V ABI, DT_DEBUG). This code calls neither dlinfo nor
// dl_iterate_phdr, because a sanitizer may interpose them before it is ready.
#ifndef GECKOPROF_BASEPROFILER_LIBC_LOADER_NAMESPACE_H_
#define GECKOPROF_BASEPROFILER_LIBC_LOADER_NAMESPACE_H_

#include <link.h>

#include <cstdint>

namespace geckoprof {

// Returns true if this library is in the program's own namespace. Nothing is recorded in a namespace of dlmopen,
// because two copies of base would share the process's signal. The library's constructor finds the answer. It is true
// until then.
//
// Threads: any.
bool IsInFirstNamespace();

// Returns true if the program loads libraries besides libc and this one. Their constructors run next. The constructor
// finds this answer too.
bool HasOtherLibraries();
// Counts the libraries in `list` that are not the program (the first entry), this library, the loader or the vDSO.
// `own` is this library's dynamic section. `loader` and `vdso` are load addresses.
uint32_t CountOtherLibraries(const link_map* list, const void* own, uintptr_t loader, uintptr_t vdso);

// The library's constructor calls this while the loader's lock is held.
void FindNamespace();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LIBC_LOADER_NAMESPACE_H_
