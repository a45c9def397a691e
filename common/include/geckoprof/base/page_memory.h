// Memory that comes directly from the kernel, for code that must not call the program's malloc.
#ifndef GECKOPROF_BASE_PAGE_MEMORY_H_
#define GECKOPROF_BASE_PAGE_MEMORY_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Since Linux 5.14. Callers must expect EINVAL from older kernels.
#endif

namespace geckoprof {

inline constexpr size_t kPageBytes = 4096;  // Always so on x86-64. On aarch64, larger pages are not supported.

// The kernel maps nothing below this address (vm.mmap_min_addr, sysctl/vm.rst), so no code lies there. A return address
// below it is wrong, and a pc below it comes from a call through a null pointer.
inline constexpr uint64_t kLowestCodeAvma = 0x10000;

constexpr uint64_t RoundUpTo(uint64_t value, uint64_t power_of_two) {
  return (value + power_of_two - 1) & ~(power_of_two - 1);
}

// PageMemory is an anonymous private mapping of zeros. The destructor unmaps it. It is empty if the kernel refused the
// mapping.
//
// Threads: one thread owns the object.
// Context: not signal context.
class PageMemory {
 public:
  PageMemory() = default;
  static PageMemory Map(size_t size_bytes);
  ~PageMemory();
  PageMemory(PageMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  PageMemory& operator=(PageMemory&& other) noexcept;

  // Asks the kernel to allocate the pages now, so that later accesses cause no page fault. The result is not checked.
  void Populate();

  // Gives up ownership. The caller owns the mapping from now on.
  uint8_t* Release() {
    size_bytes_ = 0;
    return std::exchange(data_, nullptr);
  }

  explicit operator bool() const { return data_ != nullptr; }
  uint8_t* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  PageMemory(uint8_t* data, size_t size_bytes) : data_(data), size_bytes_(size_bytes) {}
  uint8_t* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_PAGE_MEMORY_H_
