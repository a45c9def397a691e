// A stretch of an ELF object's bytes, and where they come from.
#ifndef GECKOPROF_MODULES_SECTION_BYTES_H_
#define GECKOPROF_MODULES_SECTION_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "geckoprof/modules/process_memory.h"

namespace geckoprof {

// Borrowed bytes that the file places at `svma`.
struct SectionBytes {
  const uint8_t* data = nullptr;
  size_t size_bytes = 0;
  uint64_t svma = 0;

  bool Contains(uint64_t address_svma) const { return address_svma - svma < size_bytes; }
  // The bytes from `address_svma` to the end; empty if it lies outside.
  SectionBytes From(uint64_t address_svma) const {
    if (!Contains(address_svma)) return {};
    const size_t offset = address_svma - svma;
    return {data + offset, size_bytes - offset, address_svma};
  }
};

// SectionMapping: owns pages that hold such bytes: a read-only mapping of a file's page range, or a copy of memory.
// It is never the mapping that the loader made, which dlclose may take away while we read.
class SectionMapping {
 public:
  SectionMapping() = default;
  static SectionMapping MapFile(int fd, uint64_t file_offset, size_t size_bytes);
  static SectionMapping CopyMemory(const ProcessMemory& memory, uint64_t avma, size_t size_bytes);
  ~SectionMapping();
  SectionMapping(SectionMapping&& other) noexcept { *this = std::move(other); }
  SectionMapping& operator=(SectionMapping&& other) noexcept;

  // The byte at the offset or address asked for; null if the mapping could not be made.
  const uint8_t* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  uint8_t* pages_ = nullptr;
  size_t pages_bytes_ = 0;
  const uint8_t* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_SECTION_BYTES_H_
