#ifndef GECKOPROF_TOOLS_RECORD_TREE_LOAD_WATCH_H_
#define GECKOPROF_TOOLS_RECORD_TREE_LOAD_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>

#include "tools/record/capture_triggers.h"

namespace geckoprof {

// ProcessUse has the kernel's figures of a process at a time.
struct ProcessUse {
  uint64_t start_ticks = 0;  // tells it from a later process with the same id
  int64_t own_cpu_ns = 0;
  int64_t waited_cpu_ns = 0;  // of its children that were waited for, with theirs
  uint64_t resident_bytes = 0;
};
struct TreeUse {
  int64_t time_ns = 0;
  std::map<int32_t, ProcessUse> processes = {};  // by pid
};

// Returns what the processes used between two looks. The time of a child that ended meanwhile is in that of its parent.
// So the sum over the tree goes on, and it is too small if a process outside has waited for the child.
TreeLoad LoadBetween(const TreeUse& before, const TreeUse& after);

// TreeLoadWatch looks at the CPU time and the resident memory of a process and its descendants.
//
// Threads: one.
class TreeLoadWatch {
 public:
  explicit TreeLoadWatch(pid_t root) : root_(root) {}

  // Returns nothing at the first look.
  std::optional<TreeLoad> Look(int64_t now_ns);

 private:
  const pid_t root_;
  TreeUse before_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_TREE_LOAD_WATCH_H_
