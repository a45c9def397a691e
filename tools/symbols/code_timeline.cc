#include "tools/symbols/code_timeline.h"

#include <algorithm>
#include <optional>

namespace geckoprof {
namespace {

constexpr size_t kMaxAllNamesBytes = size_t{64} << 20;

// Calls `add` with each node of the tree of `leaf_count` leaves that together cover the pieces [first, last).
template <typename AddNode>
void CoverPieces(size_t first, size_t last, size_t leaf_count, const AddNode& add) {
  for (first += leaf_count, last += leaf_count; first < last; first /= 2, last /= 2) {
    if (first % 2 == 1) add(first++);
    if (last % 2 == 1) add(--last);
  }
}

}  // namespace

void CodeTimeline::Add(uint64_t start_avma, uint64_t size_bytes, std::string_view name, int64_t from_ns) {
  name = name.substr(0, kMaxNameBytes);
  if (size_bytes == 0 || size_bytes > UINT64_MAX - start_avma || entries_.size() >= kMaxCodes ||
      name.size() > kMaxAllNamesBytes - names_.size()) {
    return;
  }
  entries_.push_back({start_avma, start_avma + size_bytes, from_ns, names_.size(), static_cast<uint32_t>(name.size())});
  names_.append(name);
  if (!name.empty()) ++named_count_;
}

void CodeTimeline::Build() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.from_ns < b.from_ns; });
  bounds_.clear();
  bounds_.reserve(2 * entries_.size());
  for (const Entry& entry : entries_) {
    bounds_.push_back(entry.start_avma);
    bounds_.push_back(entry.end_avma);
  }
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  if (bounds_.empty()) return;

  const size_t leaf_count = bounds_.size() - 1;
  const auto piece_of = [this](uint64_t bound) {
    return static_cast<size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), bound) - bounds_.begin());
  };
  const auto for_each_node = [&](const auto& visit) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      CoverPieces(piece_of(entries_[i].start_avma), piece_of(entries_[i].end_avma), leaf_count,
                  [&](size_t node) { visit(node, static_cast<uint32_t>(i)); });
    }
  };
  // The lists of all nodes lie in one array: first their lengths are counted, then they are filled.
  node_starts_.assign(2 * leaf_count + 1, 0);
  for_each_node([this](size_t node, uint32_t) { ++node_starts_[node + 1]; });
  for (size_t node = 1; node < node_starts_.size(); ++node) node_starts_[node] += node_starts_[node - 1];
  node_entries_.resize(node_starts_.back());
  std::vector<uint32_t> next(node_starts_.begin(), node_starts_.end() - 1);
  for_each_node([&](size_t node, uint32_t entry) { node_entries_[next[node]++] = entry; });

  node_is_mixed_.assign(2 * leaf_count, false);
  for (size_t node = 1; node < node_is_mixed_.size(); ++node) {
    for (size_t i = node_starts_[node] + 1; i < node_starts_[node + 1] && !node_is_mixed_[node]; ++i) {
      node_is_mixed_[node] = NameOf(entries_[node_entries_[i]]) != NameOf(entries_[node_entries_[i - 1]]);
    }
  }
}

size_t CodeTimeline::LeafAt(uint64_t avma) const {
  const auto after = std::upper_bound(bounds_.begin(), bounds_.end(), avma);
  if (after == bounds_.begin() || after == bounds_.end()) return 0;
  return static_cast<size_t>(after - bounds_.begin()) - 1 + (bounds_.size() - 1);
}

template <typename Visit>
void CodeTimeline::VisitNodes(size_t leaf, const Visit& visit) const {
  for (size_t node = leaf; node > 0; node /= 2) {
    const auto begin = node_entries_.begin();
    if (node_starts_[node] == node_starts_[node + 1]) continue;
    visit(node, begin + node_starts_[node], begin + node_starts_[node + 1]);
  }
}

CodeTimeline::Code CodeTimeline::Find(uint64_t avma, int64_t time_ns) const {
  constexpr uint32_t kNoEntry = UINT32_MAX;
  uint32_t latest = kNoEntry, next = kNoEntry;
  VisitNodes(LeafAt(avma), [&](size_t, auto first, auto last) {
    const auto after =
        std::partition_point(first, last, [&](uint32_t entry) { return entries_[entry].from_ns <= time_ns; });
    if (after != first && (latest == kNoEntry || *(after - 1) > latest)) latest = *(after - 1);
    if (after != last) next = std::min(next, *after);
  });
  const uint32_t found = latest != kNoEntry ? latest : next;
  if (found == kNoEntry) return {};
  const Entry& entry = entries_[found];
  return {NameOf(entry), entry.start_avma, entry.end_avma - entry.start_avma, latest == kNoEntry};
}

bool CodeTimeline::HasSeveral(uint64_t avma) const {
  std::optional<std::string_view> name;
  bool has_several = false;
  VisitNodes(LeafAt(avma), [&](size_t node, auto first, auto) {
    const std::string_view other = NameOf(entries_[*first]);
    has_several |= node_is_mixed_[node] || name.value_or(other) != other;
    name = other;
  });
  return has_several;
}

}  // namespace geckoprof
