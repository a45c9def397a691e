#include "geckoprof/modules/section_bytes.h"

#include <sys/mman.h>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

SectionMapping SectionMapping::MapFile(int fd, uint64_t file_offset, size_t size_bytes) {
  SectionMapping mapping;
  const uint64_t first_page = file_offset & ~uint64_t{kPageBytes - 1};
  const size_t pages_bytes = RoundUpTo(file_offset - first_page + size_bytes, kPageBytes);
  const long result = RawSyscall(SYS_mmap, nullptr, pages_bytes, PROT_READ, MAP_PRIVATE, fd, first_page);
  if (IsSyscallError(result)) return mapping;
  mapping.pages_ = reinterpret_cast<uint8_t*>(result);
  mapping.pages_bytes_ = pages_bytes;
  mapping.data_ = mapping.pages_ + (file_offset - first_page);
  mapping.size_bytes_ = size_bytes;
  return mapping;
}

SectionMapping SectionMapping::CopyMemory(const ProcessMemory& memory, uint64_t avma, size_t size_bytes) {
  SectionMapping mapping;
  const size_t pages_bytes = RoundUpTo(size_bytes, kPageBytes);
  const long result =
      RawSyscall(SYS_mmap, nullptr, pages_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IsSyscallError(result)) return mapping;
  mapping.pages_ = reinterpret_cast<uint8_t*>(result);
  mapping.pages_bytes_ = pages_bytes;
  if (!memory.Read(avma, {mapping.pages_, size_bytes})) return {};
  mapping.data_ = mapping.pages_;
  mapping.size_bytes_ = size_bytes;
  return mapping;
}

SectionMapping::~SectionMapping() {
  if (pages_ != nullptr) RawSyscall(SYS_munmap, pages_, pages_bytes_);
}

SectionMapping& SectionMapping::operator=(SectionMapping&& other) noexcept {
  std::swap(pages_, other.pages_);
  std::swap(pages_bytes_, other.pages_bytes_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

}  // namespace geckoprof
