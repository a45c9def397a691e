// The functions that the kernel maps into every process.
#ifndef GECKOPROF_BASE_VDSO_H_
#define GECKOPROF_BASE_VDSO_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

// Returns a function of the vDSO (vdso(7)) by name, or null. libc calls the same functions. However, a sanitizer may
// have replaced the functions of libc, and its versions need a thread that libc knows. `image` is the address of the
// vDSO's ELF header, getauxval(AT_SYSINFO_EHDR). If it is 0, the result is null.
//
// Threads: any.
// Context: any, once the loader has relocated this library.
void* FindVdsoFunction(uintptr_t image, std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_VDSO_H_
