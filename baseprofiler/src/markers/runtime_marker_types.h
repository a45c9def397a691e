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

// TypeArena allocates memory that is never freed, from mappings of 64 KiB.
//
// Threads: the holder of a lock around it. Context: not signal context. Lifetime: constant-initialised.
class TypeArena {
 public:
  static constexpr size_t kRegionBytes = 64 * 1024;

  // Returns zeroed memory for any type. Returns null if the kernel provides none, or if more than a region is asked
  // for.
  void* Allocate(size_t bytes);

  template <typename Struct>
  Struct* Allocate(size_t count = 1) {
    return static_cast<Struct*>(Allocate(count * sizeof(Struct)));
  }

  // Returns null for null. Sets *failed if there is no memory, and never clears it.
  const char* Copy(const char* text, bool* failed);

 private:
  uint8_t* free_ = nullptr;
  size_t free_bytes_ = 0;
};

// RuntimeMarkerTypes holds the marker types and sites that functions declared. Equal declarations share one object. The
// objects live as long as the process, because the program keeps the handles.
//
// Threads: any, under a lock. Context: not signal context. Lifetime: constant-initialised, usable before any
// constructor and after any destructor.
class RuntimeMarkerTypes {
 public:
  static constexpr uint32_t kMax = 65'536;                 // types, and as many sites
  static constexpr uint32_t kLargestTextBytes = 8 * 1024;  // a type's texts together; a site's name

  // Returns why a description is refused, or null if it is valid.
  static const char* Problem(const geckoprof_marker_type* description);

  // Returns null if the description is invalid, if there are too many types, or if there is no memory.
  static geckoprof_type* Type(const geckoprof_marker_type* description);
  // `name` and `type` may be null. Returns null if there are too many sites, if there is no memory, or if the name is
  // too long.
  static geckoprof_site* Site(const char* name, uint32_t category_pair, geckoprof_type* type);

  // Returns the number of columns in the format of a table, or 0 if `format` is no such format.
  static uint32_t CountColumns(const char* format);
  // Does the same for the format of a declared type. It skips the checks.
  static uint32_t CountDeclaredColumns(const char* format);

  static void AfterForkInChild();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_
