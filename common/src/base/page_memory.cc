#include "geckoprof/base/page_memory.h"

#include <sys/mman.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

PageMemory PageMemory::Map(size_t size_bytes) {
  const size_t rounded = RoundUpTo(size_bytes, kPageBytes);
  const long result = RawSyscall(SYS_mmap, nullptr, rounded, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (IsSyscallError(result)) return {};
  return {reinterpret_cast<uint8_t*>(result), rounded};
}

PageMemory::~PageMemory() {
  if (data_ != nullptr) RawSyscall(SYS_munmap, data_, size_bytes_);
}

PageMemory& PageMemory::operator=(PageMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

void PageMemory::Populate() {
  if (data_ != nullptr) RawSyscall(SYS_madvise, data_, size_bytes_, MADV_POPULATE_WRITE);
}

}  // namespace geckoprof
