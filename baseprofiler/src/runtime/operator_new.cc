// What the C++ headers expect of a run time library, for a library that has none: base needs libc alone. All hidden.
#include <cstddef>
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

// Unoptimised code names it in the table of virtual functions of an abstract class. Nothing calls it.
extern "C" __attribute__((visibility("hidden"))) void __cxa_pure_virtual() { __builtin_unreachable(); }  // NOLINT

// libstdc++'s headers call these where they would throw. Each means a size that no input of ours can ask for (every
// count is checked against the bytes that it came from), so it is treated as memory having run out.
namespace std {
const nothrow_t nothrow{};

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
