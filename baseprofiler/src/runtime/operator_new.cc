// The functions that C++ headers expect from a run time library. Base needs libc alone, so it has hidden ones of its
// own.
#include <cstddef>
#include <memory>
#include <new>

#include "runtime/base_heap.h"

void* operator new(size_t size) { return geckoprof::BaseHeap::Allocate(size); }
void* operator new[](size_t size) { return geckoprof::BaseHeap::Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return geckoprof::BaseHeap::Allocate(size); }
void operator delete(void* block, const std::nothrow_t&) noexcept { geckoprof::BaseHeap::Free(block); }
void operator delete(void* block) noexcept { geckoprof::BaseHeap::Free(block); }
void operator delete[](void* block) noexcept { geckoprof::BaseHeap::Free(block); }
void operator delete(void* block, size_t) noexcept { geckoprof::BaseHeap::Free(block); }
void operator delete[](void* block, size_t) noexcept { geckoprof::BaseHeap::Free(block); }

// Unoptimised code names this function in the virtual table of an abstract class. The function is never called.
extern "C" __attribute__((visibility("hidden"))) void __cxa_pure_virtual() { __builtin_unreachable(); }  // NOLINT

// libstdc++'s headers call these functions instead of throwing. Each call means that a size is impossible. Base checks
// every count against the bytes of its input, so no input can ask for such a size. The functions therefore act as if
// memory had run out.
namespace std {
const nothrow_t nothrow{};

// Code that is not optimised calls its members, which are libstdc++'s otherwise.
template class allocator<char>;

namespace {
[[noreturn]] void GiveUp() {
  geckoprof::BaseHeap::Allocate(~size_t{0});
  __builtin_unreachable();
}
}  // namespace
void __throw_length_error(const char*) { GiveUp(); }
void __throw_logic_error(const char*) { GiveUp(); }
void __throw_out_of_range_fmt(const char*, ...) { GiveUp(); }
void __throw_bad_alloc() { GiveUp(); }
void __throw_bad_array_new_length() { GiveUp(); }
}  // namespace std
