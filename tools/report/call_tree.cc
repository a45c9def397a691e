#include "tools/report/call_tree.h"

#include "absl/container/flat_hash_map.h"

namespace geckoprof {
namespace {

// A callee with less than 1 / kNegligible of the path's samples says nothing of the program any more.
constexpr double kNegligible = 100;

}  // namespace

CallTree::CallTree(const ProfileModel& model, const std::vector<double>& weights) : functions_(model.functions.size()) {
  // A stack without samples at or below it is left out, so the tree is as large as the selection, not as the file.
  const size_t rows = model.stacks.size();
  std::vector<bool> used(rows);
  for (size_t row = rows; row-- > 0;) {
    if (row < weights.size() && weights[row] > 0) used[row] = true;
    if (used[row] && model.stacks[row].prefix != kNoRow) used[static_cast<size_t>(model.stacks[row].prefix)] = true;
  }
  absl::flat_hash_map<uint64_t, int32_t> children;  // parent and function -> node
  std::vector<int32_t> node_of(rows, kNoRow);
  for (size_t row = 0; row < rows; ++row) {
    if (!used[row]) continue;
    const ProfileStack& stack = model.stacks[row];
    const int32_t parent = stack.prefix == kNoRow ? kNoRow : node_of[static_cast<size_t>(stack.prefix)];
    const uint64_t key = uint64_t{static_cast<uint32_t>(parent)} << 32 | static_cast<uint32_t>(stack.function);
    const auto [entry, added] = children.try_emplace(key, static_cast<int32_t>(nodes_.size()));
    if (added) nodes_.push_back({parent, stack.function, 0, 0});
    node_of[row] = entry->second;
    Node& node = nodes_[static_cast<size_t>(entry->second)];
    node.self_weight += weights[row];
    node.weight += weights[row];
  }
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].parent != kNoRow) nodes_[static_cast<size_t>(nodes_[i].parent)].weight += nodes_[i].weight;
  }
}

std::vector<CallTree::FunctionWeights> CallTree::ByFunction() const {
  std::vector<FunctionWeights> result(functions_);
  std::vector<int32_t> first_child(nodes_.size(), kNoRow), sibling(nodes_.size(), kNoRow);
  std::vector<int32_t> pending;  // nodes to enter; ~node: to leave
  for (size_t i = nodes_.size(); i-- > 0;) {
    const int32_t node = static_cast<int32_t>(i);
    if (nodes_[i].parent == kNoRow) {
      pending.push_back(node);
    } else {
      int32_t& first = first_child[static_cast<size_t>(nodes_[i].parent)];
      sibling[i] = first;
      first = node;
    }
  }
  std::vector<int32_t> on_path(functions_, 0);
  while (!pending.empty()) {
    const int32_t next = pending.back();
    pending.pop_back();
    if (next < 0) {
      const int32_t left = ~next;
      --on_path[static_cast<size_t>(nodes_[static_cast<size_t>(left)].function)];
      continue;
    }
    const Node& node = nodes_[static_cast<size_t>(next)];
    const size_t function = static_cast<size_t>(node.function);
    result[function].self_weight += node.self_weight;
    if (on_path[function]++ == 0) result[function].total_weight += node.weight;
    pending.push_back(~next);
    for (int32_t child = first_child[static_cast<size_t>(next)]; child != kNoRow;
         child = sibling[static_cast<size_t>(child)]) {
      pending.push_back(child);
    }
  }
  return result;
}

std::vector<int32_t> CallTree::HeaviestPath() const {
  std::vector<int32_t> heaviest(nodes_.size() + 1, kNoRow);  // callee of each node; the last: of the outside
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const size_t parent = nodes_[i].parent == kNoRow ? nodes_.size() : static_cast<size_t>(nodes_[i].parent);
    int32_t& best = heaviest[parent];
    if (best == kNoRow || nodes_[i].weight > nodes_[static_cast<size_t>(best)].weight) best = static_cast<int32_t>(i);
  }
  std::vector<int32_t> path;
  for (int32_t node = heaviest[nodes_.size()]; node != kNoRow; node = heaviest[static_cast<size_t>(node)]) {
    const double self = path.empty() ? 0 : nodes_[static_cast<size_t>(path.back())].self_weight;
    const double weight = nodes_[static_cast<size_t>(node)].weight;
    if (self > weight || (!path.empty() && weight * kNegligible < nodes_[static_cast<size_t>(path[0])].weight)) break;
    path.push_back(node);
  }
  return path;
}

}  // namespace geckoprof
