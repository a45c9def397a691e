#ifndef GECKOPROF_TOOLS_REPORT_ALLOCATION_SUMS_H_
#define GECKOPROF_TOOLS_REPORT_ALLOCATION_SUMS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// AllocationSums: the rows of threads that weigh bytes, those that were allocated and those that were freed each with
// their number. Rows that weigh nothing are neither.
struct AllocationSums {
  double count = 0, bytes = 0;
  double frees = 0, freed_bytes = 0;

  bool empty() const { return count == 0 && frees == 0; }
  // Nothing of a thread whose rows are samples.
  void Add(const ProfileThread& thread);
  // "32,800 bytes in 328 allocations, 13,120 bytes in 328 frees"; `one`: what a row is of.
  std::string Text(std::string_view one = "allocation") const;
};

// Rows that count as nothing, because their weight is 0, negative (where it is no free) or too large. One without
// a weight that has neither a stack nor CPU time is none of them: it only says when the next one's CPU time begins. Nor
// is a gap.
size_t RowsWithoutWeight(const ProfileThread& thread);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_ALLOCATION_SUMS_H_
