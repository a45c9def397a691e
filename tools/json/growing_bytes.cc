#include "tools/json/growing_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace geckoprof {

void PreferHugePages(void* memory, size_t size_bytes) {
  constexpr size_t kHugePageBytes = size_t{2} << 20;
  if (size_bytes < 2 * kHugePageBytes) return;
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory), end = begin + size_bytes;
  const uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes, last = end / page_bytes * page_bytes;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

namespace {

constexpr size_t kLeastBytes = size_t{64} << 10;  // a multiple of any page

size_t InPages(size_t bytes) { return (bytes + kLeastBytes - 1) / kLeastBytes * kLeastBytes; }

}  // namespace

GrowingBytes::~GrowingBytes() {
  if (data_ != nullptr) munmap(data_, capacity_);
}

void GrowingBytes::Grow(size_t count) {
  if (count > SIZE_MAX / 4 - size_) throw std::bad_alloc();
  const size_t capacity = InPages(std::max(size_ + count, capacity_ + capacity_ / 4));
  void* const moved = data_ == nullptr
                          ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                          : mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<uint8_t*>(moved);
  capacity_ = capacity;
  PreferHugePages(data_, capacity);
}

void GrowingBytes::Shrink() {
  const size_t capacity = std::max(InPages(size_), kLeastBytes);
  if (capacity >= capacity_) return;
  munmap(data_ + capacity, capacity_ - capacity);
  capacity_ = capacity;
}

}  // namespace geckoprof
