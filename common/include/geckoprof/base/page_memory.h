// Memory straight from the kernel, for code that must not call the program's malloc.
#ifndef GECKOPROF_BASE_PAGE_MEMORY_H_
#define GECKOPROF_BASE_PAGE_MEMORY_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14; older kernels answer EINVAL, which callers must expect
#endif

namespace geckoprof {

inline constexpr size_t kPageBytes = 4096;  // x86-64 always; aarch64 kernels with larger pages are not supported

constexpr uint64_t RoundUpTo(uint64_t value, uint64_t power_of_two) {
  return (value + power_of_two - 1) & ~(power_of_two - 1);
}

// PageMemory: an anonymous private mapping, zero filled, unmapped by the destructor. Empty if the kernel refused.
// Threads: owned by one thread. Context: not signal context.
class PageMemory {
 public:
  PageMemory() = default;
  static PageMemory Map(size_t size_bytes);
  ~PageMemory();
  PageMemory(PageMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  PageMemory& operator=(PageMemory&& other) noexcept;

  // Asks the kernel for the pages now, so that the first touch does not fault later. Best effort.
  void Populate();

  // Whoever calls this has the mapping from now on.
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
