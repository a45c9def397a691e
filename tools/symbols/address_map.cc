#include "tools/symbols/address_map.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace geckoprof {

void AddressMap::Build() {
  std::vector<uint32_t> by_start(ranges_.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::sort(by_start.begin(), by_start.end(),
            [&](uint32_t a, uint32_t b) { return ranges_[a].start < ranges_[b].start; });
  std::priority_queue<uint32_t> open;  // the one added last on top; those that have ended go when they come up
  size_t next = 0;
  while (next < by_start.size() || !open.empty()) {
    const uint64_t start = next < by_start.size() ? ranges_[by_start[next]].start : UINT64_MAX;
    const uint64_t at = open.empty() ? start : std::min(start, ranges_[open.top()].end);
    while (next < by_start.size() && ranges_[by_start[next]].start == at) open.push(by_start[next++]);
    while (!open.empty() && ranges_[open.top()].end <= at) open.pop();
    StartPart(at, open.empty() ? kNone : ranges_[open.top()].value);
  }
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
