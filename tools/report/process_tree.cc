#include "tools/report/process_tree.h"

#include <algorithm>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {
namespace {

// Returns the id of the process itself. The programs that it executed have ".1", ".2" and so on behind it.
std::string_view ProcessOf(std::string_view pid) { return pid.substr(0, pid.find('.')); }

// Returns the parent of each row, or kNoRow.
std::vector<int32_t> FindParents(const std::vector<ProfileProcess>& processes) {
  absl::flat_hash_map<std::string_view, int32_t> last_program;
  std::vector<int32_t> parents(processes.size(), kNoRow);
  for (size_t row = 0; row < processes.size(); ++row) {
    const auto [known, is_first] = last_program.try_emplace(ProcessOf(processes[row].pid), static_cast<int32_t>(row));
    if (is_first) continue;
    parents[row] = known->second;
    known->second = static_cast<int32_t>(row);
  }
  for (size_t row = 0; row < processes.size(); ++row) {
    if (parents[row] != kNoRow) continue;
    const auto parent = last_program.find(ProcessOf(processes[row].parent_pid));
    if (parent != last_program.end() && parent->first != ProcessOf(processes[row].pid)) parents[row] = parent->second;
  }
  return parents;
}

// Returns the rows with each parent before its children. Cuts cycles of `parents`.
std::vector<size_t> OrderParentsFirst(std::vector<int32_t>& parents) {
  enum class State : uint8_t { kNew, kOnPath, kDone };
  std::vector<State> states(parents.size(), State::kNew);
  std::vector<size_t> order, path;
  order.reserve(parents.size());
  for (size_t row = 0; row < parents.size(); ++row) {
    for (size_t at = row; states[at] == State::kNew;) {
      states[at] = State::kOnPath;
      path.push_back(at);
      if (parents[at] == kNoRow) break;
      const auto parent = static_cast<size_t>(parents[at]);
      if (states[parent] == State::kOnPath) parents[at] = kNoRow;
      at = parent;
    }
    for (; !path.empty(); path.pop_back()) {
      states[path.back()] = State::kDone;
      order.push_back(path.back());
    }
  }
  return order;
}

}  // namespace

ProcessTree::ProcessTree(const ProfileModel& model, const std::vector<Weight>& own) {
  std::vector<int32_t> parents = FindParents(model.processes);
  const std::vector<size_t> order = OrderParentsFirst(parents);
  std::vector<Weight> sums = own;
  std::vector<std::vector<size_t>> children(parents.size());
  std::vector<size_t> waiting;  // the rows to be added, the next one last
  for (auto row = order.rbegin(); row != order.rend(); ++row) {
    if (parents[*row] == kNoRow) {
      waiting.push_back(*row);
      continue;
    }
    const auto parent = static_cast<size_t>(parents[*row]);
    sums[parent].first += sums[*row].first;
    sums[parent].second += sums[*row].second;
    children[parent].push_back(*row);
    has_children_ = true;
  }
  const auto sort = [&sums](std::vector<size_t>& rows) {
    std::ranges::sort(rows, [&sums](size_t a, size_t b) { return std::pair(sums[a], b) < std::pair(sums[b], a); });
  };
  sort(waiting);
  std::vector<size_t> depths(parents.size(), 0);
  while (!waiting.empty()) {
    const size_t row = waiting.back();
    waiting.pop_back();
    nodes_.push_back({row, depths[row], sums[row]});
    sort(children[row]);
    for (const size_t child : children[row]) depths[child] = depths[row] + 1;
    waiting.insert(waiting.end(), children[row].begin(), children[row].end());
  }
}

}  // namespace geckoprof
