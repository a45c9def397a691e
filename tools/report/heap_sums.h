#ifndef GECKOPROF_TOOLS_REPORT_HEAP_SUMS_H_
#define GECKOPROF_TOOLS_REPORT_HEAP_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// HeapSums are the sampled allocations of a model, added up by stack.
//
//   bytes in blocks   ___      peak: the most that all processes had at a time
//                  __/   \__
//                 /         \_ end: blocks that nobody has given back. Those of a program that ended well are leaks
//
// A free counts against the allocation with its address in its process. Stacks that name the same functions in the same
// order count as one.
struct HeapSums {
  struct Row {
    int32_t stack = kNoRow;  // row of the model's stacks
    double allocated_bytes = 0;
    size_t samples = 0;
    double end_bytes = 0;
    double peak_bytes = 0;
  };

  explicit HeapSums(const ProfileModel& model);

  // Stacks that allocated the most bytes come first.
  std::vector<Row> rows;
  double allocated_bytes = 0;
  double end_bytes = 0;
  double peak_bytes = 0;
  double peak_ms = 0;      // when that was
  bool has_frees = false;  // addresses are known, so end_bytes and peak_bytes are, too
};

bool HasAllocations(const ProfileModel& model);

// Makes the table of allocations by stack. `top` limits the rows.
ReportTable AllocationTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HEAP_SUMS_H_
