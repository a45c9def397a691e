#include "markers/type_arena.h"

#include <string.h>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

void* TypeArena::Allocate(size_t bytes) {
  bytes = RoundUpTo(bytes, alignof(max_align_t));
  if (bytes > kRegionBytes) return nullptr;
  if (bytes > free_bytes_) {
    const long result =
        RawSyscall(SYS_mmap, nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (IsSyscallError(result)) return nullptr;
    free_ = reinterpret_cast<uint8_t*>(result);
    free_bytes_ = kRegionBytes;
  }
  void* const taken = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return taken;
}

const char* TypeArena::Copy(const char* text, bool* failed) {
  if (text == nullptr) return nullptr;
  const size_t bytes = strlen(text) + 1;
  auto* const copy = static_cast<char*>(Allocate(bytes));
  if (copy == nullptr) {
    *failed = true;
  } else {
    memcpy(copy, text, bytes);
  }
  return copy;
}

}  // namespace geckoprof
