#include "tools/record/session_limit.h"

#include <algorithm>

#include "geckoprof/segment/segment.h"

namespace geckoprof {

SessionLimit SessionLimit::For(uint64_t capacity_bytes, uint64_t live_processes) {
  const uint64_t least_bytes = live_processes * kLeastBytes;
  if (least_bytes > capacity_bytes) return {least_bytes, DroppedFor::kLiveProcesses};
  return {capacity_bytes, DroppedFor::kCapacity};
}

LiveSegmentUse::LiveSegmentUse(const SegmentView& view, uint64_t allocated_bytes) {
  const uint64_t prepared = view.header().prepared_chunks.load(std::memory_order_relaxed);
  uint64_t taken = 0, metadata = 0, emptied = 0;
  view.DescribeChunks([&](uint32_t, SegmentView::CopyResult result, const SegmentView::ChunkCopy& chunk) {
    taken += chunk.state != ChunkState::kFree ? 1 : 0;
    metadata += chunk.state == ChunkState::kPinned ? 1 : 0;
    if (chunk.state != ChunkState::kDone && chunk.state != ChunkState::kPartial) return;
    if (result == SegmentView::CopyResult::kCopied) {
      finished_ns_.push_back(chunk.last_ns);
    } else {
      ++emptied;  // it was released, and has pages again
    }
  });
  const uint64_t ready = prepared - std::min(prepared, taken) + emptied;
  const uint64_t more_metadata = metadata - std::min<uint64_t>(metadata, 1);
  const uint64_t more_ready = ready - std::min<uint64_t>(ready, Segment::kAhead);
  counted_bytes_ = std::min(allocated_bytes,
                            (finished_ns_.size() + more_metadata + more_ready) * uint64_t{view.header().chunk_bytes});
}

}  // namespace geckoprof
