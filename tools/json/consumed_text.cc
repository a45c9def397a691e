#include "tools/json/consumed_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace geckoprof {

// Only pages that the text has to itself; they read as zeros afterwards.
void ConsumedText::Release(const char* position) {
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(text_.data() + released_);
  const uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  const uintptr_t end = reinterpret_cast<uintptr_t>(position) / page_bytes * page_bytes;
  if (end <= first) return;
  madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
  released_ = end - reinterpret_cast<uintptr_t>(text_.data());
}

}  // namespace geckoprof
