#include "geckoprof/segment/segment_counts.h"

#include <string.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

// Returns null if it is not a segment of this version.
const SegmentHeader* KnownHeader(const void* segment, uint64_t size_bytes) {
  if (segment == nullptr || size_bytes < kPageBytes) return nullptr;
  const auto* const header = static_cast<const SegmentHeader*>(segment);
  const bool known = memcmp(header->magic, kSegmentMagic, sizeof(kSegmentMagic)) == 0 &&
                     header->version == kSegmentVersion && header->header_bytes >= offsetof(SegmentHeader, drops);
  return known ? header : nullptr;
}

// A requested capacity need not be a whole number of chunks, so a difference of 5 % is no limit.
uint64_t CapacityBytes(const SegmentHeader& header) {
  const uint64_t held = uint64_t{header.chunk_count.load(std::memory_order_relaxed)} * header.chunk_bytes;
  const bool is_less =
      held != 0 && held < header.capacity_bytes && header.capacity_bytes - held > header.capacity_bytes / 20;
  return is_less ? held : header.capacity_bytes;
}

// Other reasons count ticks without a request, samples that are pending, and entries that lack their stack or a part of
// their text.
bool IsLoss(DropReason reason) {
  switch (reason) {
    case DropReason::kAnswerPending:
    case DropReason::kMissedTick:
    case DropReason::kThrottled:
    case DropReason::kUnanswered:
    case DropReason::kSignalBlocked:
    case DropReason::kUnreadableStack:
    case DropReason::kSmallSignalStack:
    case DropReason::kTraced:
    case DropReason::kSignalInUse:
    case DropReason::kInSignalHandler:
    case DropReason::kMarkerStack:
    case DropReason::kTextCut:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::optional<SegmentCounts> CountSegment(const void* segment, uint64_t size_bytes) {
  const SegmentHeader* const header = KnownHeader(segment, size_bytes);
  if (header == nullptr) return std::nullopt;
  const uint32_t prepared = std::min(header->prepared_chunks.load(std::memory_order_acquire),
                                     header->chunk_count.load(std::memory_order_relaxed));
  if (kPageBytes + uint64_t{prepared} * sizeof(ChunkRow) > size_bytes) return std::nullopt;
  const auto* const rows = reinterpret_cast<const ChunkRow*>(static_cast<const uint8_t*>(segment) + kPageBytes);
  SegmentCounts info;
  info.range_end = header->next_block.load(std::memory_order_relaxed);
  info.range_start = info.range_end;
  // Each chunk that a writer takes moves the block index on by a chunk.
  const uint64_t taken = header->chunk_bytes != 0 ? info.range_end / header->chunk_bytes : 0;
  uint64_t newest = 0, present = 0;
  for (uint32_t i = 0; i < prepared; ++i) {
    const ChunkState state = ChunkStateIn(rows[i].word.load(std::memory_order_acquire));
    if (state == ChunkState::kFree) continue;
    if (state != ChunkState::kReleased) ++present;
    const uint64_t tail = rows[i].tail.load(std::memory_order_acquire);
    const uint64_t block = rows[i].block.load(std::memory_order_relaxed);
    if (block == 0) continue;  // a released chunk, which may have pages again
    info.used_bytes += tail;
    info.range_start = std::min(info.range_start, block);
    newest = std::max(newest, block + tail);
    if (state != ChunkState::kDone && state != ChunkState::kPartial) continue;
    const int64_t begin_ns = rows[i].begin_ns.load(std::memory_order_relaxed);
    if (info.oldest_ns == 0 || begin_ns < info.oldest_ns) info.oldest_ns = begin_ns;
  }
  if (taken <= present) info.oldest_ns = 0;
  if (newest != 0) info.range_end = newest;
  info.capacity_bytes = CapacityBytes(*header);
  info.samples_taken = header->samples_taken.load(std::memory_order_relaxed);
  for (size_t i = 0; i < std::size(header->drops); ++i) {
    if (IsLoss(static_cast<DropReason>(i))) info.entries_dropped += header->drops[i].load(std::memory_order_relaxed);
  }
  return info;
}

uint64_t SegmentCapacityBytes(const void* segment, uint64_t size_bytes) {
  const SegmentHeader* const header = KnownHeader(segment, size_bytes);
  return header == nullptr ? 0 : CapacityBytes(*header);
}

int64_t SegmentTimeZeroNs(const void* segment, uint64_t size_bytes) {
  const SegmentHeader* const header = KnownHeader(segment, size_bytes);
  if (header == nullptr) return 0;
  if (header->exec_ns != 0) return header->exec_ns;
  return header->constructor_ns != 0 ? header->constructor_ns : header->created_ns;
}

}  // namespace geckoprof
