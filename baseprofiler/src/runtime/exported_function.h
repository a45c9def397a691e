#ifndef GECKOPROF_BASEPROFILER_RUNTIME_EXPORTED_FUNCTION_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_EXPORTED_FUNCTION_H_

#include <cstdint>

// Marks a function that the library exports. It is a function of the API, or it interposes a function of libc.
#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace geckoprof {

// Returns the stack pointer of the caller of the exported function that uses this.
__attribute__((always_inline)) inline uintptr_t CallerStackPointer() {
  return reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_EXPORTED_FUNCTION_H_
