#include "tools/processed_format/loop_blocks.h"

#include <algorithm>

namespace geckoprof {

std::vector<LoopBlock> FindLoopBlocks(const ProcessProfile& process, const ThreadRow& thread) {
  std::vector<LoopBlock> blocks;
  const std::vector<MarkerTypeRow>& types = process.marker_types;
  const auto type =
      std::find_if(types.begin(), types.end(), [](const MarkerTypeRow& row) { return row.name == "LoopBlocked"; });
  if (type == types.end()) return blocks;
  for (const MarkerRow& marker : thread.markers) {
    if (marker.type != type - types.begin() || marker.phase != MarkerPhase::kInterval) continue;
    blocks.push_back({marker.start_ns, marker.end_ns});
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const LoopBlock& a, const LoopBlock& b) { return a.start_ns < b.start_ns; });
  return blocks;
}

int64_t DelayNs(const std::vector<LoopBlock>& blocks, int64_t time_ns) {
  const auto later = std::partition_point(blocks.begin(), blocks.end(),
                                          [time_ns](const LoopBlock& block) { return block.start_ns <= time_ns; });
  if (later == blocks.begin()) return 0;
  const LoopBlock& block = *(later - 1);
  return time_ns < block.end_ns ? time_ns - block.start_ns : 0;
}

}  // namespace geckoprof
