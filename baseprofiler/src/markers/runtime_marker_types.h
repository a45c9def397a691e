#ifndef GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_

#include <cstdint>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/marker_abi.h"

// What the handles of the C API point to: what marker_abi.h wants in static storage.
struct geckoprof_type {
  geckoprof_marker_type kind;  // its texts and lists are ours
  uint64_t hash;
  geckoprof_type* next;  // of the same place in the table
};
struct geckoprof_site {
  geckoprof_marker_site kind;
  uint64_t hash;
  geckoprof_site* next;
};

namespace geckoprof {

// RuntimeMarkerTypes: marker types and sites that were declared by function, each once, however often and by whomever.
// They live as long as the process: a program keeps the handles, and markers may be on their way.
//
// Memory is mapped 64 KiB at a time and never given back. Threads: any, under a lock. Context: not signal context.
// Lifetime: constant-initialised: usable before any constructor and after any destructor.
class RuntimeMarkerTypes {
 public:
  static constexpr uint32_t kMost = 65'536;                // types, and as many sites
  static constexpr uint32_t kLargestTextBytes = 8 * 1024;  // a type's texts together; a site's name

  // Null: it is fine.
  static const char* Problem(const geckoprof_marker_type* description);

  // Null: there is a problem, too many, or no memory.
  static geckoprof_type* Type(const geckoprof_marker_type* description);
  // `name` and `type` may be null. Null: too many, no memory, or a name that is too long.
  static geckoprof_site* Site(const char* name, uint32_t category_pair, geckoprof_type* type);

  // Of a table's format; 0: it is none, or makes no sense.
  static uint32_t ColumnsOf(const char* format);
  // The same of a format that a type was declared with: quick.
  static uint32_t ColumnsOfDeclared(const char* format);

  static void AfterForkInChild();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_RUNTIME_MARKER_TYPES_H_
