#ifndef GECKOPROF_BASEPROFILER_MARKERS_TYPE_ARENA_H_
#define GECKOPROF_BASEPROFILER_MARKERS_TYPE_ARENA_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// TypeArena: memory that is never given back, from mappings of 64 KiB. Owned by who holds a lock around it. Context:
// not signal context. Lifetime: constant-initialised.
class TypeArena {
 public:
  static constexpr size_t kRegionBytes = 64 * 1024;

  // Zero filled, for any type. Null: the kernel has none, or it is more than a region.
  void* Allocate(size_t bytes);

  template <typename Struct>
  Struct* Allocate(size_t count = 1) {
    return static_cast<Struct*>(Allocate(count * sizeof(Struct)));
  }

  // Of null, null. Sets *failed, and never clears it.
  const char* Copy(const char* text, bool* failed);

 private:
  uint8_t* free_ = nullptr;
  size_t free_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_TYPE_ARENA_H_
