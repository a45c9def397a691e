#ifndef GECKOPROF_HOOKS_RUNTIME_MAPPING_END_H_
#define GECKOPROF_HOOKS_RUNTIME_MAPPING_END_H_

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// MappingEnd: when the loader has mapped the libraries of a dlopen, and begins to relocate them. The loader does not
// report this point. Its last call of calloc before it marks it. The call is for the versions of the symbols of the
// last library.
//
//   dlopen | search, map: calloc ... calloc | relocate: malloc at most | constructors
//                                         ^ end of mapping
//
// The hook of calloc therefore notes the time while a dlopen is at that point.
//
// Threads: one. Context: not signal context.
struct MappingEnd {
  uintptr_t loader_begin, loader_end;  // the dynamic linker's code
  geckoprof_time time;                 // of its last calloc; 0: none yet
};

// Null while the thread is in no dlopen, and from its first constructor on. Points to memory of the thread alone.
extern constinit thread_local MappingEnd* t_mapping_end __attribute__((tls_model("initial-exec")));

[[gnu::always_inline]] inline void NoteCalloc(const void* caller) {
  MappingEnd* const end = t_mapping_end;
  if (end == nullptr) [[likely]]
    return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(caller);
  if (address >= end->loader_begin && address < end->loader_end) end->time = geckoprof_base_time();
}

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_MAPPING_END_H_
