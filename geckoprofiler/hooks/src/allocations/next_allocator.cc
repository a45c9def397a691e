#include "allocations/next_allocator.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <atomic>
#include <utility>

namespace geckoprof {
namespace {

constinit thread_local bool t_is_looking __attribute__((tls_model("initial-exec"))) = false;

alignas(4096) constinit uint8_t g_first_memory[FirstMemory::kBytes] = {};
constinit std::atomic<size_t> g_first_used{0};

template <typename Function>
void Find(const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

constinit NextAllocator g_next_allocator = {};

bool FindNextAllocator() {
  if (KnowsNextAllocator()) return true;
  if (t_is_looking) return false;
  t_is_looking = true;
  NextAllocator found = {};
  Find("malloc", found.malloc);
  Find("free", found.free);
  Find("calloc", found.calloc);
  Find("realloc", found.realloc);
  Find("memalign", found.memalign);
  Find("aligned_alloc", found.aligned_alloc);
  Find("posix_memalign", found.posix_memalign);
  Find("valloc", found.valloc);
  Find("pvalloc", found.pvalloc);
  Find("malloc_usable_size", found.malloc_usable_size);
  Find("free_sized", found.free_sized);
  Find("free_aligned_sized", found.free_aligned_sized);
  if (HasOtherAllocator()) Find("reallocarray", found.reallocarray);
  t_is_looking = false;
  // Threads that look at the same time find the same. The first one writes it, and malloc last, because that says that
  // the others are known.
  static constinit std::atomic<bool> is_writing{false};
  if (is_writing.exchange(true, std::memory_order_acquire)) return KnowsNextAllocator();
  auto* const malloc_function = std::exchange(found.malloc, nullptr);
  g_next_allocator = found;
  __atomic_store_n(&g_next_allocator.malloc, malloc_function, __ATOMIC_RELEASE);
  return true;
}

bool HasOtherAllocator() { return dlsym(RTLD_DEFAULT, "malloc") != reinterpret_cast<void*>(&malloc); }

size_t UsableBytes(const void* block) {
  if (!FindNextAllocator() || g_next_allocator.malloc_usable_size == nullptr) return 0;
  return g_next_allocator.malloc_usable_size(const_cast<void*>(block));
}

void* FirstMemory::New(size_t bytes, size_t alignment) {
  if (bytes > kBytes || alignment > kBytes) return nullptr;
  size_t used = g_first_used.load(std::memory_order_relaxed);
  for (;;) {
    const size_t begin = (used + alignment - 1) & ~(alignment - 1);
    const size_t end = begin + ((bytes + 15) & ~size_t{15});
    if (end > kBytes) return nullptr;
    if (g_first_used.compare_exchange_weak(used, end, std::memory_order_relaxed)) return g_first_memory + begin;
  }
}

bool FirstMemory::Has(const void* block) {
  return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(g_first_memory) < kBytes;
}

size_t FirstMemory::BytesFrom(const void* block) {
  return static_cast<size_t>(g_first_memory + kBytes - static_cast<const uint8_t*>(block));
}

}  // namespace geckoprof
