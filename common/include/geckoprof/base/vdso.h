// The functions that the kernel puts into every process.
#ifndef GECKOPROF_BASE_VDSO_H_
#define GECKOPROF_BASE_VDSO_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

// A function of the vDSO by name (vdso(7)), or null. libc calls the same ones; but its own may be a sanitizer's by
// then, which needs a thread that libc knows. `image`: where its ELF header is (getauxval(AT_SYSINFO_EHDR)); 0: null.
// Threads: any. Context: any, once the loader has relocated this library.
void* FindVdsoFunction(uintptr_t image, std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_VDSO_H_
