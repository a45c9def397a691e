#ifndef GECKOPROF_TOOLS_REPORT_PROCESS_TREE_H_
#define GECKOPROF_TOOLS_REPORT_PROCESS_TREE_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// ProcessTree puts the processes of a profile in the order of their tree. Each process comes before its children. Among
// siblings the one that took most with its descendants comes first.
//
//   make        pid 10
//     sh        pid 11, parent 10
//       cc1     pid 11.1: the program that process 11 executed then
//     sh        pid 12, parent 10
//
// A program that a process executed is a child of the program before. The children of a process belong to its last
// program. A process whose parent is not in the profile has no parent. A cycle of a forged profile is cut.
class ProcessTree {
 public:
  // CPU time in ms, and samples, which count where there are no CPU times.
  using Weight = std::pair<double, double>;

  struct Node {
    size_t row = 0;  // of ProfileModel::processes
    size_t depth = 0;
    Weight with_children;
  };

  // `own` has the weight of each process.
  ProcessTree(const ProfileModel& model, const std::vector<Weight>& own);

  const std::vector<Node>& nodes() const { return nodes_; }
  // Returns false if no process has a parent.
  bool has_children() const { return has_children_; }

 private:
  std::vector<Node> nodes_;
  bool has_children_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_PROCESS_TREE_H_
