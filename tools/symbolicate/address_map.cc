#include "tools/symbolicate/address_map.h"

#include <algorithm>
#include <utility>

namespace geckoprof {

void AddressMap::Build() {
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::vector<const Range*> open;
  // Ends what ends up to `address`; what lies around it goes on.
  const auto close = [&](uint64_t address) {
    while (!open.empty() && open.back()->end <= address) {
      const uint64_t end = open.back()->end;
      while (!open.empty() && open.back()->end <= end) open.pop_back();
      StartPart(end, open.empty() ? kNone : open.back()->value);
    }
  };
  for (const Range& range : ranges_) {
    close(range.start);
    StartPart(range.start, range.value);
    open.push_back(&range);
  }
  close(UINT64_MAX);
  std::vector<Range>().swap(ranges_);
}

void AddressMap::StartPart(uint64_t start, uint32_t value) {
  if (!parts_.empty() && parts_.back().start == start) {
    parts_.back().value = value;
  } else if (parts_.empty() || parts_.back().value != value) {
    parts_.push_back({start, value});
  }
}

uint32_t AddressMap::Find(uint64_t address) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), address,
                                      [](uint64_t value, const Part& part) { return value < part.start; });
  return after == parts_.begin() ? kNone : (after - 1)->value;
}

}  // namespace geckoprof
