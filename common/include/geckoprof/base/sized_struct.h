#ifndef GECKOPROF_BASE_SIZED_STRUCT_H_
#define GECKOPROF_BASE_SIZED_STRUCT_H_

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// Structures that a caller fills in and that begin with their size, uint32_t size_bytes. They grow by 8 bytes at a
// time.
//
//   the caller's:  | known to both ......... |            an older program: the rest is 0
//                  | known to both ......... | newer ...  a newer program: see Surplus
template <typename Struct>
class SizedStruct {
 public:
  enum class Surplus : uint8_t { kMustBeZero, kIgnored };

  // Fills in `to`. False, and it is as it was: no structure, one that is too small to be one, or with a surplus that it
  // must not have.
  static bool Read(const void* from, uint32_t least_bytes, Surplus surplus, Struct& to) {
    uint32_t size_bytes = 0;
    if (from == nullptr) return false;
    memcpy(&size_bytes, from, sizeof(size_bytes));
    if (size_bytes < least_bytes || size_bytes % 8 != 0) return false;
    const auto* const bytes = static_cast<const uint8_t*>(from);
    for (size_t i = sizeof(Struct); surplus == Surplus::kMustBeZero && i < size_bytes; ++i) {
      if (bytes[i] != 0) return false;
    }
    if (size_bytes >= sizeof(Struct)) {  // nearly always: a copy of known size is a few stores
      memcpy(&to, from, sizeof(Struct));
    } else {
      to = Struct{};
      memcpy(&to, from, size_bytes);
    }
    to.size_bytes = sizeof(Struct);
    return true;
  }

  // Gives the caller as much of `from` as it has room for. False: it has no room at all.
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
