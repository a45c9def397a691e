#ifndef GECKOPROF_HOOKS_LIBRARIES_LOAD_MARKERS_H_
#define GECKOPROF_HOOKS_LIBRARIES_LOAD_MARKERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// The markers of the feature `libraries`. Times are those of the processor's counter or of the library's clock. A
// `start` of 0 makes the marker an instant at `end`.
//
// Threads: any. Context: any.

struct LibraryFacts {
  std::string_view path;
  uint64_t size_bytes = 0;  // of its segments in memory
  uint64_t relocations = 0;
};

// A library's constructors ran from `start` to `end`. Without a start, their time is unknown.
void AddLibraryLoad(const LibraryFacts& library, geckoprof_time start, geckoprof_time end);
void AddLibraryUnload(const LibraryFacts& library, geckoprof_time start, geckoprof_time end);

struct LoadCallFacts {
  std::string_view function;  // "dlopen" or "dlmopen"
  std::string_view name;      // the argument
  bool was_loaded = false;
  uint32_t libraries = 0;  // that came with it
  std::optional<int64_t> mapping_ns = {}, relocation_ns = {}, constructors_ns = {};
  geckoprof_time start = 0, end = 0;
};
void AddLoadCall(const LoadCallFacts& call, uint32_t skipped_frames);

// There are more libraries than the table has rows.
void AddTableIsFull();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LIBRARIES_LOAD_MARKERS_H_
