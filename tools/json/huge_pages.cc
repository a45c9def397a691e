#include "tools/json/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace geckoprof {

void PreferHugePages(void* memory, size_t size_bytes) {
  constexpr size_t kHugePageBytes = size_t{2} << 20;
  if (size_bytes < 2 * kHugePageBytes) return;
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory), end = begin + size_bytes;
  const uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes, last = end / page_bytes * page_bytes;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace geckoprof
