#ifndef GECKOPROF_BASEPROFILER_RUNTIME_BASE_HEAP_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_BASE_HEAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/futex.h"

namespace geckoprof {

// BaseHeap: what `operator new` means inside libbaseprofiler.so. Memory comes from the kernel in regions of 256 KiB and
// is handed out in blocks of powers of two; larger blocks are mappings of their own.
//
// Not the program's malloc, because the sampler thread is unknown to libc, because the program's malloc may not be
// ready when base starts, and because a profiler that allocates where it measures disturbs what it measures.
//
//   block: | size class (8 bytes) | 8 bytes unused | what the caller gets ...
//
// When memory runs out, Allocate does not return: it leaves through the escape that the caller's thread has armed
// (RunOrEscape), and what was being built is given up. Nothing of the program's is touched. Threads: any. Context: not
// signal context.
class BaseHeap {
 public:
  static void* Allocate(size_t size_bytes);
  static void Free(void* block);

  // Calls body(argument). False if memory ran out meanwhile: body was left in the middle and its objects are lost.
  // At most one call at a time on the sampler thread and one on any other thread.
  static bool RunOrEscape(void (*body)(void*), void* argument);

  // In a forked child: forgets all blocks, since another thread may have been in the middle of a change.
  static void AbandonAfterFork();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_BASE_HEAP_H_
