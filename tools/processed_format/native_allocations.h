#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_NATIVE_ALLOCATIONS_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_NATIVE_ALLOCATIONS_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// A sampled block of the program's allocator, when the program got it or gave it back.
struct NativeAllocation {
  int64_t time_ns = 0;
  int64_t weight = 0;    // the bytes that the sample stands for; negative if the block was given back
  uint64_t address = 0;  // of the block
  int32_t tid = 0;       // of the thread that called
  int32_t stack = kNone;
};

// NativeAllocations finds the markers with which hooks record blocks. The processed format has a table for them. The
// viewer matches an allocation and its free in one table only, so the whole process has one. A marker of this type
// that a program makes itself has no address. It stays a marker.
//
// Lifetime: a view of the process.
class NativeAllocations {
 public:
  explicit NativeAllocations(const ProcessProfile* process);

  bool IsOne(const MarkerRow& marker) const { return type_ != kNone && marker.type == type_; }
  // Returns those of all threads, in order of time.
  std::vector<NativeAllocation> List() const;

 private:
  const ProcessProfile& process_;
  int32_t type_ = kNone;  // row of the marker types
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_NATIVE_ALLOCATIONS_H_
