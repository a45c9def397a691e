#ifndef GECKOPROF_BASEPROFILER_RUNTIME_BASE_HEAP_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_BASE_HEAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/futex.h"

namespace geckoprof {

// BaseHeap: the memory behind `operator new` inside libbaseprofiler.so. It gets memory from the kernel in regions of
// 256 KiB and hands it out in blocks of powers of two. A larger block is a mapping of its own.
//
//   block: | size class (8 bytes) | 8 bytes unused | the caller's bytes ...
//
// Base does not use the program's malloc, for three reasons. libc does not know the sampler thread. The program's
// malloc may not be ready when base starts. A profiler that allocates from the measured heap changes the measurement.
//
// Invariants: Allocate does not return when memory runs out. It jumps to the escape that RunOrEscape armed on this
// thread. The unfinished work is given up. The program's memory is never touched.
// Threads: any.
// Context: not signal context.
class BaseHeap {
 public:
  static void* Allocate(size_t size_bytes);
  static void Free(void* block);

  // Calls body(argument). Returns false if memory ran out. Then `body` was left in the middle and its objects are lost.
  // At most one call may run on the sampler thread and one on any other thread.
  static bool RunOrEscape(void (*body)(void*), void* argument);

  // Called in a forked child. Forgets all blocks, because another thread may have been changing the lists during the
  // fork.
  static void AbandonAfterFork();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_BASE_HEAP_H_
