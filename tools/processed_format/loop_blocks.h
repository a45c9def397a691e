#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_LOOP_BLOCKS_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_LOOP_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// A time in which an event loop could handle no event, as the feature `responsiveness` has recorded it.
struct LoopBlock {
  int64_t start_ns = 0, end_ns = 0;
};

// Returns the blocks of a thread, in order of time. It is empty if the thread is no loop.
std::vector<LoopBlock> FindLoopBlocks(const ProcessProfile& process, const ThreadRow& thread);

// Returns how long the loop was blocked already at this time. It is 0 outside the blocks.
int64_t DelayNs(const std::vector<LoopBlock>& blocks, int64_t time_ns);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_LOOP_BLOCKS_H_
