#include "tools/record/tree_load_watch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

TreeUse UseOfTree(pid_t root, int64_t now_ns) {
  std::multimap<pid_t, std::pair<pid_t, ProcessUse>> children;  // by parent
  TreeUse use{.time_ns = now_ns};
  for (const pid_t pid : ProcessIds()) {
    const std::optional<ProcessState> state = ReadProcessState(pid);
    if (!state.has_value() || state->is_of_kernel) continue;
    const ProcessUse one{state->start_ticks, state->user_cpu_ns + state->system_cpu_ns, state->waited_cpu_ns,
                         state->resident_bytes};
    if (pid == root) {
      use.processes[pid] = one;
    } else {
      children.emplace(state->parent, std::pair(pid, one));
    }
  }
  std::vector<pid_t> parents = {root};
  while (!parents.empty()) {
    const auto [first, last] = children.equal_range(parents.back());
    parents.pop_back();
    for (auto child = first; child != last; ++child) {
      if (use.processes.insert(child->second).second) parents.push_back(child->second.first);
    }
  }
  return use;
}

double Percent(int64_t cpu_ns, int64_t elapsed_ns) {
  return 100 * static_cast<double>(std::max<int64_t>(cpu_ns, 0)) / static_cast<double>(elapsed_ns);
}

}  // namespace

TreeLoad LoadBetween(const TreeUse& before, const TreeUse& after) {
  TreeLoad load;
  const int64_t elapsed_ns = std::max<int64_t>(after.time_ns - before.time_ns, 1);
  int64_t sum_ns = 0;
  for (const auto& [pid, use] : after.processes) {
    const auto known = before.processes.find(pid);
    const bool is_known = known != before.processes.end() && known->second.start_ticks == use.start_ticks;
    const ProcessUse earlier = is_known ? known->second : ProcessUse();
    load.processes[pid] = {Percent(use.own_cpu_ns - earlier.own_cpu_ns, elapsed_ns), use.resident_bytes};
    sum_ns += use.own_cpu_ns + use.waited_cpu_ns;
    load.all.resident_bytes += use.resident_bytes;
  }
  for (const auto& [pid, use] : before.processes) sum_ns -= use.own_cpu_ns + use.waited_cpu_ns;
  load.all.cpu_percent = Percent(sum_ns, elapsed_ns);
  return load;
}

std::optional<TreeLoad> TreeLoadWatch::Look(int64_t now_ns) {
  TreeUse now = UseOfTree(root_, now_ns);
  std::optional<TreeLoad> load;
  if (before_.time_ns != 0) load = LoadBetween(before_, now);
  before_ = std::move(now);
  return load;
}

}  // namespace geckoprof
