#ifndef GECKOPROF_BASE_SIZED_STRUCT_H_
#define GECKOPROF_BASE_SIZED_STRUCT_H_

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// SizedStruct copies structures that begin with their size, uint32_t size_bytes. The caller fills them in. New
// versions of a structure grow by multiples of 8 bytes.
//
//   the caller's:  | known to both ......... |            older program: the missing members are 0
//                  | known to both ......... | newer ...  newer program: see Surplus
template <typename Struct>
class SizedStruct {
 public:
  enum class Surplus : uint8_t { kMustBeZero, kIgnored };

  // Copies the caller's structure into `to`. It returns false and leaves `to` unchanged if there is no structure or its
  // size is not valid. It does the same for a surplus that must be zero and is not.
  static bool Read(const void* from, uint32_t least_bytes, Surplus surplus, Struct& to) {
    uint32_t size_bytes = 0;
    if (from == nullptr) return false;
    memcpy(&size_bytes, from, sizeof(size_bytes));
    if (size_bytes < least_bytes || size_bytes % 8 != 0) return false;
    const auto* const bytes = static_cast<const uint8_t*>(from);
    for (size_t i = sizeof(Struct); surplus == Surplus::kMustBeZero && i < size_bytes; ++i) {
      if (bytes[i] != 0) return false;
    }
    if (size_bytes >= sizeof(Struct)) {  // the usual case: a copy of a known size is a few stores
      memcpy(&to, from, sizeof(Struct));
    } else {
      to = Struct{};
      memcpy(&to, from, size_bytes);
    }
    to.size_bytes = sizeof(Struct);
    return true;
  }

  // Copies as much of `from` as the caller's structure has room for. Returns false if that size is not valid.
  static bool Write(const Struct& from, uint32_t least_bytes, void* to) {
    uint32_t size_bytes = 0;
    if (to == nullptr) return false;
    memcpy(&size_bytes, to, sizeof(size_bytes));
    if (size_bytes < least_bytes || size_bytes % 8 != 0) return false;
    memcpy(to, &from, size_bytes < sizeof(Struct) ? size_bytes : sizeof(Struct));
    memcpy(to, &size_bytes, sizeof(size_bytes));
    return true;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_SIZED_STRUCT_H_
