#include "tools/report/loop_table.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/report/call_paths.h"
#include "tools/report/cell_text.h"
#include "tools/report/wait_sums.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

struct LoopBlock {
  const ProfileThread* thread = nullptr;
  double begin_ms = 0, end_ms = 0;
};

std::vector<LoopBlock> LoopBlocksOf(const ProfileModel& model) {
  std::vector<LoopBlock> blocks;
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileMarker& marker : thread.markers) {
      if (marker.phase != ProfileMarkerPhase::kInterval || model.Text(marker.name) != "LoopBlocked") continue;
      blocks.push_back({&thread, marker.start_ms, std::max(marker.start_ms, marker.end_ms)});
    }
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const LoopBlock& a, const LoopBlock& b) {
    return a.end_ms - a.begin_ms > b.end_ms - b.begin_ms;
  });
  return blocks;
}

const std::string& NameOfFunction(const ProfileModel& model, int32_t function) {
  return model.Text(model.functions[static_cast<size_t>(function)].name);
}

// Returns the functions, outermost first, without the frame that says that the thread waited for a core.
std::vector<int32_t> PathOf(const ProfileModel& model, int32_t stack) {
  std::vector<int32_t> path = FunctionsOf(model, stack);
  if (!path.empty() && NameOfFunction(model, path.front()) == "(waiting for a core)") path.erase(path.begin());
  std::reverse(path.begin(), path.end());
  return path;
}

// The samples of a block, and the time until the next one that each stands for.
std::vector<std::pair<std::vector<int32_t>, double>> PathsIn(const ProfileModel& model, const LoopBlock& block) {
  std::vector<std::pair<std::vector<int32_t>, double>> paths;
  const std::vector<ProfileSample>& samples = block.thread->samples;
  auto sample = std::partition_point(samples.begin(), samples.end(),
                                     [&block](const ProfileSample& each) { return each.time_ms < block.begin_ms; });
  for (; sample != samples.end() && sample->time_ms <= block.end_ms; ++sample) {
    std::vector<int32_t> path = PathOf(model, sample->stack);
    if (path.empty()) continue;
    const double next_ms = sample + 1 != samples.end() ? (sample + 1)->time_ms : block.end_ms;
    paths.emplace_back(std::move(path), std::min(next_ms, block.end_ms) - sample->time_ms);
  }
  return paths;
}

// Returns the longest path that more than half of the time has in common.
std::vector<int32_t> CommonPath(std::vector<std::pair<std::vector<int32_t>, double>> paths) {
  double whole_ms = 0;
  for (const auto& [path, ms] : paths) whole_ms += ms;
  std::vector<int32_t> common;
  for (;;) {
    absl::flat_hash_map<int32_t, double> times;
    for (const auto& [path, ms] : paths) {
      if (path.size() > common.size()) times[path[common.size()]] += ms;
    }
    const auto longest =
        std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (longest == times.end() || longest->second <= whole_ms / 2) return common;
    std::erase_if(paths, [&](const auto& each) {
      return each.first.size() <= common.size() || each.first[common.size()] != longest->first;
    });
    common.push_back(longest->first);
  }
}

}  // namespace

ReportTable LoopTable(const ProfileModel& model, size_t top) {
  const std::vector<LoopBlock> blocks = LoopBlocksOf(model);
  ReportTable table;
  table.title = "Blocked event loops";
  table.columns = {{"durationMs", "blocked", Kind::kMs},  {"startMs", "at", Kind::kTimeMs},
                   {"tid", "tid", Kind::kText},           {"thread", "thread", Kind::kText},
                   {"function", "function", Kind::kText}, {"stack", "by", Kind::kStack}};
  table.all_rows = blocks.size();
  for (const LoopBlock& block : std::span(blocks).first(std::min(top, blocks.size()))) {
    const std::vector<int32_t> path = CommonPath(PathsIn(model, block));
    std::string stack;
    for (auto function = path.rbegin(); function != path.rend(); ++function) {
      if (!stack.empty()) stack += ReportTable::kBetweenFrames;
      stack += NameOfFunction(model, *function);
    }
    const std::string name = path.empty() ? "(no sample)" : NameOfFunction(model, path.back());
    table.rows.push_back({block.end_ms - block.begin_ms, block.begin_ms, Concat(block.thread->tid), block.thread->name,
                          name, stack.empty() ? Cell() : Cell(stack)});
  }
  if (blocks.empty()) {
    table.notes.push_back("No event loop was blocked, or the feature responsiveness was not recorded.");
  }
  return table;
}

}  // namespace geckoprof
