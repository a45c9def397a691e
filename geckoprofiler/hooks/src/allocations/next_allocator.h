#ifndef GECKOPROF_HOOKS_ALLOCATIONS_NEXT_ALLOCATOR_H_
#define GECKOPROF_HOOKS_ALLOCATIONS_NEXT_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// The functions of the program's allocator, behind the hooks. Optional ones are null if the allocator lacks them.
struct NextAllocator {
  void* (*malloc)(size_t);
  void (*free)(void*);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  size_t (*malloc_usable_size)(void*);
  void (*free_sized)(void*, size_t);                  // optional (C23)
  void (*free_aligned_sized)(void*, size_t, size_t);  // optional (C23)
  // Null unless HasOtherAllocator. libc's reallocarray calls that allocator's realloc.
  void* (*reallocarray)(void*, size_t, size_t);
};

// All functions are known, or none.
extern constinit NextAllocator g_next_allocator;
[[gnu::always_inline]] inline bool KnowsNextAllocator() {
  return __atomic_load_n(&g_next_allocator.malloc, __ATOMIC_ACQUIRE) != nullptr;
}

// Looks the functions up, unless they are known. dlsym may allocate meanwhile. The result is then false, and the caller
// uses FirstMemory.
//
// Threads: any. Context: not signal context before the functions are known.
bool FindNextAllocator();

// Returns whether another malloc comes before the hooks, such as one in the executable.
bool HasOtherAllocator();

size_t UsableBytes(const void* block);

// FirstMemory: blocks for dlsym while it looks the allocator up. They are never used again. Some libraries of C take a
// few hundred bytes here, and most take nothing.
//
// Threads: any. Context: any.
class FirstMemory {
 public:
  static constexpr size_t kBytes = 16 * 1024;
  // Returns null if there is no room. The memory is zero.
  static void* New(size_t bytes, size_t alignment = 16);
  static bool Has(const void* block);
  // The number of bytes up to the end of the memory, which is at least the size of the block.
  static size_t BytesFrom(const void* block);
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_ALLOCATIONS_NEXT_ALLOCATOR_H_
