// The malloc family.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "allocations/allocation_sampler.h"
#include "allocations/next_allocator.h"
#include "runtime/mapping_end.h"
#include "runtime/next_function.h"

namespace geckoprof {
namespace {

constexpr uint32_t kFeatures = AllocationSampler::kFeatures;

// A block for dlsym while it looks the allocator up.
[[gnu::noinline, gnu::cold]] void* NewFirst(size_t bytes, size_t alignment) {
  void* const block = FirstMemory::New(bytes, alignment);
  if (block != nullptr) g_allocation_sampler.live().Mark(reinterpret_cast<uintptr_t>(block));
  return block;
}

template <typename Call>
[[gnu::noinline, gnu::cold]] void* AllocateFirst(size_t bytes, size_t alignment, Call call) {
  return FindNextAllocator() ? call() : NewFirst(bytes, alignment);
}

template <typename Call>
[[gnu::noinline]] void* AllocateAndRecord(uint32_t wanted, size_t bytes, Call call) {
  void* const block = call();
  g_allocation_sampler.Record(wanted, block, bytes);
  return block;
}

// Calls the real function and records the block. `call` has its arguments by value, so that nothing is written to
// memory where nothing is recorded.
template <typename Call>
[[gnu::always_inline]] inline void* Allocate(size_t bytes, size_t alignment, Call call) {
  if (!KnowsNextAllocator()) [[unlikely]]
    return AllocateFirst(bytes, alignment, call);
  const uint32_t wanted = HookFeatures(kFeatures);
  if (wanted != 0 && AllocationSampler::MustRecord(wanted, bytes)) return AllocateAndRecord(wanted, bytes, call);
  return call();
}

template <typename Call>
[[gnu::noinline]] void ReleaseAndFree(void* block, Call call) {
  if (FirstMemory::Has(block)) return;
  g_allocation_sampler.Release(block);
  if (FindNextAllocator()) call();
}

template <typename Call>
[[gnu::always_inline]] inline void Free(void* block, Call call) {
  if (g_allocation_sampler.MustRelease(block) || !KnowsNextAllocator()) [[unlikely]]
    return ReleaseAndFree(block, call);
  call();
}

[[gnu::noinline, gnu::cold]] void* ReallocateFirst(void* block, size_t bytes) {
  void* const moved = FindNextAllocator() ? g_next_allocator.malloc(bytes) : NewFirst(bytes, 16);
  const size_t held_bytes = FirstMemory::Has(block) ? FirstMemory::BytesFrom(block) : 0;
  if (moved != nullptr) memmove(moved, block, held_bytes < bytes ? held_bytes : bytes);
  return moved;
}

[[gnu::noinline]] void* ReallocateAndRecord(uint32_t wanted, void* block, size_t bytes) {
  const AllocationSampler::Freed freed = g_allocation_sampler.BeginRelease(block);
  void* const moved = g_next_allocator.realloc(block, bytes);
  if (moved == nullptr && bytes != 0) {
    g_allocation_sampler.UndoRelease(block, freed);
    return nullptr;
  }
  g_allocation_sampler.EndRelease(block, freed);
  if (wanted != 0 && AllocationSampler::MustRecord(wanted, bytes)) g_allocation_sampler.Record(wanted, moved, bytes);
  return moved;
}

}  // namespace
}  // namespace geckoprof

using geckoprof::Allocate;
using geckoprof::g_next_allocator;

GECKOPROF_HOOK void* malloc(size_t bytes) {
  return Allocate(bytes, 16, [=] { return g_next_allocator.malloc(bytes); });
}

GECKOPROF_HOOK void* calloc(size_t count, size_t bytes) {
  geckoprof::NoteCalloc(__builtin_return_address(0));
  return Allocate(count * bytes, 16, [=] { return g_next_allocator.calloc(count, bytes); });
}

GECKOPROF_HOOK void* realloc(void* block, size_t bytes) {
  if (geckoprof::FirstMemory::Has(block) || !geckoprof::KnowsNextAllocator()) [[unlikely]] {
    return geckoprof::ReallocateFirst(block, bytes);
  }
  const uint32_t wanted = geckoprof::HookFeatures(geckoprof::kFeatures);
  if (wanted != 0 || geckoprof::g_allocation_sampler.MustRelease(block)) {
    return geckoprof::ReallocateAndRecord(wanted, block, bytes);
  }
  return g_next_allocator.realloc(block, bytes);
}

GECKOPROF_HOOK void* reallocarray(void* block, size_t count, size_t bytes) {
  if (geckoprof::FindNextAllocator() && g_next_allocator.reallocarray != nullptr) [[unlikely]]
    return g_next_allocator.reallocarray(block, count, bytes);
  size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, whole);
}

GECKOPROF_HOOK void free(void* block) {
  geckoprof::Free(block, [=] { g_next_allocator.free(block); });
}

// An allocator from before C23 frees every block in one way.
GECKOPROF_HOOK void free_sized(void* block, size_t bytes) {
  geckoprof::Free(block, [=] {
    g_next_allocator.free_sized != nullptr ? g_next_allocator.free_sized(block, bytes) : g_next_allocator.free(block);
  });
}

GECKOPROF_HOOK void free_aligned_sized(void* block, size_t alignment, size_t bytes) {
  geckoprof::Free(block, [=] {
    g_next_allocator.free_aligned_sized != nullptr ? g_next_allocator.free_aligned_sized(block, alignment, bytes)
                                                   : g_next_allocator.free(block);
  });
}

GECKOPROF_HOOK void* memalign(size_t alignment, size_t bytes) {
  return Allocate(bytes, alignment, [=] { return g_next_allocator.memalign(alignment, bytes); });
}

GECKOPROF_HOOK void* aligned_alloc(size_t alignment, size_t bytes) {
  return Allocate(bytes, alignment, [=] { return g_next_allocator.aligned_alloc(alignment, bytes); });
}

GECKOPROF_HOOK int posix_memalign(void** out, size_t alignment, size_t bytes) {
  int result = ENOMEM;
  void* made = nullptr;
  void* const block = Allocate(bytes, alignment, [&] {
    result = g_next_allocator.posix_memalign(&made, alignment, bytes);
    return result == 0 ? made : nullptr;
  });
  if (block != nullptr) result = 0;
  if (result == 0) *out = block;
  return result;
}

GECKOPROF_HOOK void* valloc(size_t bytes) {
  return Allocate(bytes, 4096, [=] { return g_next_allocator.valloc(bytes); });
}

GECKOPROF_HOOK void* pvalloc(size_t bytes) {
  return Allocate(bytes, 4096, [=] { return g_next_allocator.pvalloc(bytes); });
}

GECKOPROF_HOOK size_t malloc_usable_size(void* block) {
  if (geckoprof::FirstMemory::Has(block)) return geckoprof::FirstMemory::BytesFrom(block);
  return block != nullptr ? geckoprof::UsableBytes(block) : 0;
}
