#ifndef GECKOPROF_BASEPROFILER_RUNTIME_EXPORTED_FUNCTION_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_EXPORTED_FUNCTION_H_

#include <cstdint>

// Before a function that others see: of the API, or one of libc's that ours stands before.
#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace geckoprof {

// The stack pointer of who called the exported function in which this stands.
__attribute__((always_inline)) inline uintptr_t CallerStackPointer() {
  return reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_EXPORTED_FUNCTION_H_
