// The operators new and delete. The operators of libstdc++ call malloc and free, whose hooks do the work. Allocators
// such as jemalloc and tcmalloc have operators that do not call malloc. Their blocks are noted here.
//
//   program --> hook --> libstdc++'s operator new --> malloc (hook) --> the allocator
//   program --> hook --> the allocator's operator new
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include <atomic>
#include <new>

#include "allocations/allocation_sampler.h"
#include "allocations/next_allocator.h"

namespace geckoprof {
namespace {

enum class Operators : int { kUnknown, kCallMalloc, kAllocate };

Operators ClassifyOperators(void* one) {
  Dl_info of_operator = {}, of_malloc = {};
  if (!FindNextAllocator() || dladdr(one, &of_operator) == 0 ||
      dladdr(reinterpret_cast<void*>(g_next_allocator.malloc), &of_malloc) == 0) {
    return Operators::kCallMalloc;
  }
  return of_operator.dli_fbase == of_malloc.dli_fbase ? Operators::kAllocate : Operators::kCallMalloc;
}

// NextOperator: an operator behind the hook. A plugin may have brought libstdc++ where RTLD_NEXT does not look. Then it
// is looked up there. It is null if only a plugin with a copy of libstdc++ defines the operator. malloc takes its place
// then.
//
// Threads: any. Context: not signal context at the first call.
template <typename Function>
class NextOperator {
 public:
  explicit constexpr NextOperator(const char* name) : name_(name) {}

  [[gnu::always_inline]] Function* get() {
    if (!is_known_.load(std::memory_order_acquire)) [[unlikely]]
      Find();
    return function_;
  }
  // True if the operator is the allocator's own.
  bool Allocates() const { return operators_ == Operators::kAllocate; }

 private:
  [[gnu::noinline, gnu::cold]] void Find() {
    void* found = dlsym(RTLD_NEXT, name_);
    for (const char* library : {"libstdc++.so.6", "libc++abi.so.1"}) {
      void* const loaded = found == nullptr ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
      if (loaded != nullptr) found = dlsym(loaded, name_);
    }
    function_ = reinterpret_cast<Function*>(found);
    operators_ = found != nullptr ? ClassifyOperators(found) : Operators::kCallMalloc;
    is_known_.store(true, std::memory_order_release);
  }

  const char* const name_;
  std::atomic<bool> is_known_{false};
  Function* function_ = nullptr;  // the threads that look it up find the same
  Operators operators_ = Operators::kUnknown;
};

void* NewByMemalign(size_t alignment, size_t bytes) {
  void* block = nullptr;
  if (posix_memalign(&block, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) != 0) return nullptr;
  return block;
}

// malloc had no memory for an operator that may not return null. The plugin that called it has an operator of its
// own, which tries once more and throws.
template <typename Function, typename... Arguments>
[[gnu::noinline, gnu::cold]] void* CallOwn(const char* name, const void* caller, Arguments... arguments) {
  Dl_info plugin = {}, found = {};
  void* const loaded = dladdr(caller, &plugin) != 0 ? dlopen(plugin.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  void* const own = loaded != nullptr ? dlsym(loaded, name) : nullptr;
  if (loaded != nullptr) dlclose(loaded);  // its code is running, so it stays
  if (own == nullptr || dladdr(own, &found) == 0 || found.dli_fbase != plugin.dli_fbase) abort();
  return reinterpret_cast<Function*>(own)(arguments...);
}

template <typename Operator, typename... Arguments>
[[gnu::always_inline]] inline void* Allocate(Operator& next, size_t bytes, Arguments... arguments) {
  auto* const real = next.get();
  const uint32_t wanted = HookFeatures(AllocationSampler::kFeatures);
  if (wanted == 0 || !next.Allocates()) return real(bytes, arguments...);
  const bool is_recorded = AllocationSampler::MustRecord(wanted, bytes);
  void* const block = real(bytes, arguments...);
  if (is_recorded) g_allocation_sampler.Record(wanted, block, bytes);
  return block;
}

template <typename Operator>
[[gnu::always_inline]] inline void ReleaseBefore(const Operator& next, void* block) {
  if (next.Allocates() && g_allocation_sampler.MustRelease(block)) g_allocation_sampler.Release(block);
}

}  // namespace
}  // namespace geckoprof

// SYMBOL is the operator's name for the linker, TYPE its type, DECLARATION how it begins. OTHERWISE is a block if no
// library defines it. The rest are its arguments.
#define GECKOPROF_NEW_NOTHROW(SYMBOL, TYPE, DECLARATION, OTHERWISE, ...)  \
  static constinit geckoprof::NextOperator<TYPE> g_next##SYMBOL{#SYMBOL}; \
  [[gnu::visibility("default")]] DECLARATION {                            \
    if (g_next##SYMBOL.get() == nullptr) [[unlikely]]                     \
      return OTHERWISE;                                                   \
    return geckoprof::Allocate(g_next##SYMBOL, __VA_ARGS__);              \
  }
#define GECKOPROF_NEW(SYMBOL, TYPE, DECLARATION, OTHERWISE, ...)                                                     \
  static constinit geckoprof::NextOperator<TYPE> g_next##SYMBOL{#SYMBOL};                                            \
  [[gnu::visibility("default")]] DECLARATION {                                                                       \
    if (g_next##SYMBOL.get() == nullptr) [[unlikely]] {                                                              \
      void* const block = OTHERWISE;                                                                                 \
      return block != nullptr ? block : geckoprof::CallOwn<TYPE>(#SYMBOL, __builtin_return_address(0), __VA_ARGS__); \
    }                                                                                                                \
    return geckoprof::Allocate(g_next##SYMBOL, __VA_ARGS__);                                                         \
  }

#define GECKOPROF_DELETE(SYMBOL, TYPE, DECLARATION, ...)                  \
  static constinit geckoprof::NextOperator<TYPE> g_next##SYMBOL{#SYMBOL}; \
  [[gnu::visibility("default")]] DECLARATION noexcept {                   \
    auto* const real = g_next##SYMBOL.get();                              \
    if (real == nullptr) [[unlikely]]                                     \
      return free(block);                                                 \
    geckoprof::ReleaseBefore(g_next##SYMBOL, block);                      \
    real(block __VA_OPT__(, ) __VA_ARGS__);                               \
  }

using geckoprof::NewByMemalign;
using Align = std::align_val_t;
using Nothrow = std::nothrow_t;

static size_t Number(Align alignment) { return static_cast<size_t>(alignment); }

// clang-format off
GECKOPROF_NEW(_Znwm, void*(size_t), void* operator new(size_t bytes), malloc(bytes), bytes)
GECKOPROF_NEW(_Znam, void*(size_t), void* operator new[](size_t bytes), malloc(bytes), bytes)
GECKOPROF_NEW_NOTHROW(_ZnwmRKSt9nothrow_t, void*(size_t, const Nothrow&),
              void* operator new(size_t bytes, const Nothrow& tag) noexcept, malloc(bytes), bytes, tag)
GECKOPROF_NEW_NOTHROW(_ZnamRKSt9nothrow_t, void*(size_t, const Nothrow&),
              void* operator new[](size_t bytes, const Nothrow& tag) noexcept, malloc(bytes), bytes, tag)
GECKOPROF_NEW(_ZnwmSt11align_val_t, void*(size_t, Align),
              void* operator new(size_t bytes, Align to), NewByMemalign(Number(to), bytes), bytes, to)
GECKOPROF_NEW(_ZnamSt11align_val_t, void*(size_t, Align),
              void* operator new[](size_t bytes, Align to), NewByMemalign(Number(to), bytes), bytes, to)
GECKOPROF_NEW_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t, void*(size_t, Align, const Nothrow&),
              void* operator new(size_t bytes, Align to, const Nothrow& tag) noexcept,
              NewByMemalign(Number(to), bytes), bytes, to, tag)
GECKOPROF_NEW_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t, void*(size_t, Align, const Nothrow&),
              void* operator new[](size_t bytes, Align to, const Nothrow& tag) noexcept,
              NewByMemalign(Number(to), bytes), bytes, to, tag)

GECKOPROF_DELETE(_ZdlPv, void(void*), void operator delete(void* block))
GECKOPROF_DELETE(_ZdaPv, void(void*), void operator delete[](void* block))
GECKOPROF_DELETE(_ZdlPvm, void(void*, size_t), void operator delete(void* block, size_t bytes), bytes)
GECKOPROF_DELETE(_ZdaPvm, void(void*, size_t), void operator delete[](void* block, size_t bytes), bytes)
GECKOPROF_DELETE(_ZdlPvRKSt9nothrow_t, void(void*, const Nothrow&),
                 void operator delete(void* block, const Nothrow& tag), tag)
GECKOPROF_DELETE(_ZdaPvRKSt9nothrow_t, void(void*, const Nothrow&),
                 void operator delete[](void* block, const Nothrow& tag), tag)
GECKOPROF_DELETE(_ZdlPvSt11align_val_t, void(void*, Align), void operator delete(void* block, Align to), to)
GECKOPROF_DELETE(_ZdaPvSt11align_val_t, void(void*, Align), void operator delete[](void* block, Align to), to)
GECKOPROF_DELETE(_ZdlPvmSt11align_val_t, void(void*, size_t, Align),
                 void operator delete(void* block, size_t bytes, Align to), bytes, to)
GECKOPROF_DELETE(_ZdaPvmSt11align_val_t, void(void*, size_t, Align),
                 void operator delete[](void* block, size_t bytes, Align to), bytes, to)
GECKOPROF_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, void(void*, Align, const Nothrow&),
                 void operator delete(void* block, Align to, const Nothrow& tag), to, tag)
GECKOPROF_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, void(void*, Align, const Nothrow&),
                 void operator delete[](void* block, Align to, const Nothrow& tag), to, tag)
// clang-format on
