#include "tools/report/html/page_tree.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/counted_samples.h"

namespace geckoprof {
namespace {

std::vector<bool> UsedRows(const ProfileModel& model, const std::vector<double>& weights) {
  std::vector<bool> used(model.stacks.size());
  for (size_t row = used.size(); row-- > 0;) {
    if (row < weights.size() && weights[row] > 0) used[row] = true;
    if (used[row] && model.stacks[row].prefix != kNoRow) used[static_cast<size_t>(model.stacks[row].prefix)] = true;
  }
  return used;
}

}  // namespace

PageTree::PageTree(const ProfileModel& model, const std::vector<double>& weights, size_t most_nodes)
    : node_of_(model.stacks.size(), kNoRow) {
  const std::vector<bool> used = UsedRows(model, weights);
  absl::flat_hash_map<uint64_t, int32_t> children;  // parent and function -> node
  std::vector<double> totals;
  for (size_t row = 0; row < model.stacks.size(); ++row) {
    if (!used[row]) continue;
    const ProfileStack& stack = model.stacks[row];
    const int32_t parent = NodeOf(stack.prefix);
    if (IsRootFunction(model, stack.function)) {
      node_of_[row] = parent;
      continue;
    }
    const uint64_t key = uint64_t{static_cast<uint32_t>(parent)} << 32 | static_cast<uint32_t>(stack.function);
    const auto [entry, added] = children.try_emplace(key, static_cast<int32_t>(nodes_.size()));
    if (added) {
      nodes_.push_back({parent, stack.function, stack.category});
      totals.push_back(0);
    }
    node_of_[row] = entry->second;
    totals[static_cast<size_t>(entry->second)] += weights[row];
  }
  if (nodes_.size() <= most_nodes) return;
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].parent != kNoRow) totals[static_cast<size_t>(nodes_[i].parent)] += totals[i];
  }
  Fold(totals, most_nodes);
}

// A node weighs at most what its parent does and is behind it, so the heaviest, of equal ones the first, are a tree.
void PageTree::Fold(const std::vector<double>& totals, size_t most_nodes) {
  std::vector<int32_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(most_nodes), order.end(),
                   [&totals](int32_t a, int32_t b) {
                     const double weight_a = totals[static_cast<size_t>(a)], weight_b = totals[static_cast<size_t>(b)];
                     return weight_a != weight_b ? weight_a > weight_b : a < b;
                   });
  std::vector<bool> kept(nodes_.size());
  for (size_t i = 0; i < most_nodes; ++i) kept[static_cast<size_t>(order[i])] = true;
  std::vector<Node> left;
  std::vector<int32_t> new_number(nodes_.size(), kNoRow);  // of a node that is folded: of what it went into
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const int32_t parent = nodes_[i].parent == kNoRow ? kNoRow : new_number[static_cast<size_t>(nodes_[i].parent)];
    if (!kept[i]) {
      new_number[i] = parent;
      ++folded_nodes_;
      continue;
    }
    new_number[i] = static_cast<int32_t>(left.size());
    left.push_back({parent, nodes_[i].function, nodes_[i].category});
  }
  for (int32_t& node : node_of_) {
    if (node != kNoRow) node = new_number[static_cast<size_t>(node)];
  }
  nodes_ = std::move(left);
}

}  // namespace geckoprof
