#include "tools/report/allocation_sums.h"

#include <algorithm>

#include "tools/report/number_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string BytesInText(double bytes, double count, std::string_view one) {
  return Concat(GroupedText(bytes), bytes == 1 ? " byte in " : " bytes in ", GroupedText(count), " ", one,
                count == 1 ? "" : "s");
}

}  // namespace

void AllocationSums::Add(const ProfileThread& thread) {
  if (thread.weight_unit != ProfileWeightUnit::kBytes) return;
  for (const ProfileSample& sample : thread.samples) {
    if (sample.weight > 0) ++count;
    bytes += sample.weight;
  }
  for (const ProfileSample& sample : thread.frees) {
    ++frees;
    freed_bytes += sample.weight;
  }
}

std::string AllocationSums::Text(std::string_view one) const {
  std::string text = BytesInText(bytes, count, one);
  if (frees > 0) text += Concat(", ", BytesInText(freed_bytes, frees, "free"));
  return text;
}

size_t RowsWithoutWeight(const ProfileThread& thread) {
  const auto rows =
      static_cast<size_t>(std::count_if(thread.samples.begin(), thread.samples.end(), [&](const ProfileSample& row) {
        const bool is_sample = row.stack != kNoRow || (row.cpu_ns != 0 && !thread.has_states);
        return is_sample && !(row.weight > 0);
      }));
  return rows - std::min(rows, thread.frees.size());
}

}  // namespace geckoprof
