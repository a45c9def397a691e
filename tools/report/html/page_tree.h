#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_TREE_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// PageTree: the call paths that a page shows, one node for all stacks that name the same functions in the same order.
// Unlike CallTree it has no sums, for the page makes those itself of the threads and the time that are looked at, but
// it says which node a stack became.
//
// Invariants: a node's parent is an earlier node; "(root)" is none. Where there would be more than `most_nodes`, the
// lightest are folded into the callers that are left, and counted.
class PageTree {
 public:
  struct Node {
    int32_t parent = kNoRow;
    int32_t function = 0;
    int32_t category = kNoRow;
  };

  // weights: how much each row of model.stacks matters; a row with 0 is in the tree only for what is below it.
  PageTree(const ProfileModel& model, const std::vector<double>& weights, size_t most_nodes);

  const std::vector<Node>& nodes() const { return nodes_; }
  // kNoRow: of no stack, of nothing but "(root)", and of a row without weight at or below it.
  int32_t NodeOf(int32_t stack) const { return stack == kNoRow ? kNoRow : node_of_[static_cast<size_t>(stack)]; }
  size_t folded_nodes() const { return folded_nodes_; }

 private:
  void Fold(const std::vector<double>& totals, size_t most_nodes);

  std::vector<Node> nodes_;
  std::vector<int32_t> node_of_;  // by row of model.stacks
  size_t folded_nodes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_TREE_H_
