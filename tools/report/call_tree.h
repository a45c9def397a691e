#ifndef GECKOPROF_TOOLS_REPORT_CALL_TREE_H_
#define GECKOPROF_TOOLS_REPORT_CALL_TREE_H_

#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// CallTree: samples summed up by call path. Rows of a model's stack table that name the same functions in the same
// order (from different threads, or at different addresses of a function) are one node here.
//
//   node:  parent | function | own weight (samples that end here) | weight (samples that end here or below)
//
// Invariants: a node's parent is an earlier node, so sums run backwards over the vector, and nothing here recurses: the
// depth of a stack is the file's choice. Every operation is linear in the size of the stack table.
class CallTree {
 public:
  struct Node {
    int32_t parent = kNoRow;
    int32_t function = 0;
    double self_weight = 0;
    double weight = 0;
  };
  struct FunctionWeights {
    double self_weight = 0;
    double total_weight = 0;  // recursion counts once a sample
  };

  // weights: what each row of model.stacks weighs as the end of samples.
  CallTree(const ProfileModel& model, const std::vector<double>& weights);

  const std::vector<Node>& nodes() const { return nodes_; }
  // By row of model.functions.
  std::vector<FunctionWeights> ByFunction() const;
  // Node numbers from a root downwards, always to the heaviest callee; it ends where the samples that stop at a
  // function outweigh every callee of it, or where a callee has less than 1 % of the samples at the path's start.
  std::vector<int32_t> HeaviestPath() const;

 private:
  size_t functions_;
  std::vector<Node> nodes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_CALL_TREE_H_
