#ifndef GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/marker_abi.h"

// A type that the C API declared.
struct geckoprof_type {
  geckoprof_marker_type kind;  // with copies of the texts and lists
  uint64_t hash;
  geckoprof_type* next;  // in the same place of the table
};

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

// RuntimeMarkerTypes holds the marker types and sites that functions declared. Equal ones are there once. They live as
// long as the process, since a program keeps the handles, and a marker may be under way.
//
// Memory is mapped 64 KiB at a time and never unmapped. Threads: any, under a lock. Context: not signal context.
// Lifetime: it is constant-initialised, so it can be used before any constructor and after any destructor.
class RuntimeMarkerTypes {
 public:
  static constexpr uint32_t kMax = 65'536;                 // types, and as many sites
  static constexpr uint32_t kLargestTextBytes = 8 * 1024;  // a type's texts together; a site's name

  // Returns why a description is refused. Null: it is fine.
  static const char* Problem(const geckoprof_marker_type* description);

  // Null: there is a problem, there are too many types, or there is no memory.
  static geckoprof_type* Type(const geckoprof_marker_type* description);
  // `name` and `type` may be null. Null: there are too many sites, there is no memory, or the name is too long.
  static geckoprof_site* Site(const char* name, uint32_t category_pair, geckoprof_type* type);

  // Returns the number of columns in the format of a table. 0: it is no such format.
  static uint32_t CountColumns(const char* format);
  // The same for the format of a declared type, which is known to be right. It is quick.
  static uint32_t CountDeclaredColumns(const char* format);

  static void AfterForkInChild();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_
