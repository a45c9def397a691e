// A range of an ELF object's bytes with its address.
#ifndef GECKOPROF_MODULES_SECTION_BYTES_H_
#define GECKOPROF_MODULES_SECTION_BYTES_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// Borrowed bytes that the file places at `svma`.
struct SectionBytes {
  const uint8_t* data = nullptr;
  size_t size_bytes = 0;
  uint64_t svma = 0;

  bool Contains(uint64_t address_svma) const { return address_svma - svma < size_bytes; }
  // Returns the bytes from `address_svma` to the end. The result is empty if the address lies outside.
  SectionBytes From(uint64_t address_svma) const {
    if (!Contains(address_svma)) return {};
    const size_t offset = address_svma - svma;
    return {data + offset, size_bytes - offset, address_svma};
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_SECTION_BYTES_H_
