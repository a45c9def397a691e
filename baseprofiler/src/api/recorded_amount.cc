#include "api/recorded_amount.h"

#include <cstddef>
#include <iterator>

#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

// Other reasons count ticks without a request, samples without their stack, and cut texts.
bool IsLoss(DropReason reason) {
  return reason != DropReason::kAnswerPending && reason != DropReason::kMissedTick &&
         reason != DropReason::kSignalBlocked && reason != DropReason::kUnreadableStack &&
         reason != DropReason::kTextCut;
}

}  // namespace

geckoprof_buffer_info RecordedAmount(const Segment& segment) {
  geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
  const SegmentHeader& header = segment.header();
  info.capacity_bytes = header.capacity_bytes;
  info.samples_taken = header.samples_taken.load(std::memory_order_relaxed);
  const uint32_t prepared = header.prepared_chunks.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < prepared; ++i) {
    const ChunkRow& row = segment.directory().row(ChunkId::FromNumber(i));
    if (ChunkStateIn(row.word.load(std::memory_order_acquire)) == ChunkState::kFree) continue;
    info.used_bytes += row.tail.load(std::memory_order_acquire);
  }
  for (size_t i = 0; i < std::size(header.drops); ++i) {
    if (IsLoss(static_cast<DropReason>(i))) info.entries_dropped += header.drops[i].load(std::memory_order_relaxed);
  }
  return info;
}

}  // namespace geckoprof
