#ifndef GECKOPROF_SEGMENT_CHUNK_DIRECTORY_H_
#define GECKOPROF_SEGMENT_CHUNK_DIRECTORY_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// ChunkUse is one use of a chunk, from its begin until it is recycled.
struct ChunkUse {
  static constexpr uint64_t kNone = UINT64_MAX;
  ChunkId chunk;
  uint64_t block = kNone;  // the block index of the chunk's first byte; kNone: no chunk
};

// ChunkDirectory decides which writer owns which chunk of a segment, and which chunk is recycled next. It holds no
// profile data.
//
// Each chunk has one row in the segment itself, so the writing process and a recorder see the same state. The word of a
// row (generation | stream | state) moves through these states:
//
//              Acquire               Finish               Acquire (recycles, generation + 1)
//     kFree ------------> kInUse --------------> kDone ------------------------------------> kInUse
//                          |  ^
//              Leave       v  |  Acquire(Partial::kContinue), same generation, bytes stay
//                         kPartial
//     kFree --AcquirePinned--> kPinned
//     kDone, kPartial --Release, generation + 1--> kReleased --Restore--> kDone, empty
//
// Invariants:
//   (1) A chunk in kInUse has exactly one writer. A writer needs no lock and no read-modify-write for its entries.
//   (2) The generation changes exactly when bytes that a reader may have seen become invalid. A reader copies a chunk
//       and then compares the generation. If it has changed, the reader discards the copy.
//   (3) Block ranges never overlap, and they grow in the order of Acquire. Ages of different streams can be compared.
//   (4) Only chunks below `prepared_chunks` are touched, because only their pages exist. A stray store may change that
//       count, so it is never believed beyond `mapped_chunks`.
//
// The search for a chunk goes round like a clock hand. The chunk that was acquired longest ago is recycled first. A
// chunk that is still written when the hand passes waits for the next round.
//
// Threads: any writer may call Acquire, Finish and ReleasePartial. They are lock-free and try at most prepared_chunks
// rows. Context: any, including signal context. Lifetime: this is a view. The mapping must outlive it.
class ChunkDirectory {
 public:
  ChunkDirectory(SegmentHeader* header, ChunkRow* rows, uint32_t mapped_chunks)
      : header_(header), rows_(rows), mapped_chunks_(mapped_chunks) {}

  // If the value is kContinue, Acquire may continue a half-filled chunk of a thread that has ended.
  enum class Partial : uint8_t { kContinue, kIgnore };

  // Acquires a chunk for `stream`. It tries a released half-filled chunk (kContinue only), a free chunk, the oldest
  // done chunk, and any half-filled chunk, in this order. The result is empty if there is none. The caller then drops
  // its entry and counts the drop. `now_ns` becomes the base of the chunk's time deltas, unless the chunk is continued.
  // With Reuse::kFreeOnly the function does not recycle a chunk and its contents.
  enum class Reuse : uint8_t { kFreeOnly, kAny };
  std::optional<ChunkId> Acquire(StreamId stream, Partial partial, int64_t now_ns, Reuse reuse = Reuse::kAny);

  // Acquires a chunk that is never recycled. It is a free chunk or else the oldest done chunk. The result is empty if
  // there is none, or at the cap of a quarter of the segment.
  std::optional<ChunkId> AcquirePinned(StreamId stream, int64_t now_ns, Reuse reuse = Reuse::kAny);

  // Ends the writer's use of a full chunk (Finish), or releases it for another thread (ReleasePartial). REQUIRES: the
  // caller's stream owns `chunk`.
  void Finish(ChunkId chunk) { SetState(chunk, ChunkState::kDone); }
  void ReleasePartial(ChunkId chunk) { SetState(chunk, ChunkState::kPartial); }

  // Releases the entries of a finished or half-filled chunk, if all are older than `before_ns`. Returns the time of the
  // newest one, or 0 if the chunk is not such a chunk. The caller then gives its pages back, and may call Restore when
  // the chunk has pages again.
  int64_t Release(ChunkId chunk, int64_t before_ns);
  // Makes a released chunk the next one that is recycled. REQUIRES: it has pages.
  void Restore(ChunkId chunk);
  // Returns the released chunk that the clock's hand reaches before any finished chunk, or nothing.
  std::optional<ChunkId> FindReleased() const;

  // HasFree returns true if a prepared chunk is still unused. The sampler keeps this true while the segment can grow.
  // Free chunks are used in the order of their index, so a look at the last prepared one suffices.
  bool HasFree() const { return CountFreeAtEnd(1) == 1; }
  uint32_t CountFreeAtEnd(uint32_t most) const;

  // The number of chunks that are prepared.
  uint32_t prepared() const {
    return std::min(header_->prepared_chunks.load(std::memory_order_acquire), mapped_chunks_);
  }

  // Returns true until the chunk is recycled.
  bool IsCurrent(const ChunkUse& use) const {
    return use.block != ChunkUse::kNone && use.chunk.ToNumber() < mapped_chunks_ &&
           row(use.chunk).block.load(std::memory_order_relaxed) == use.block;
  }

  ChunkRow& row(ChunkId chunk) const { return rows_[chunk.ToNumber()]; }

 private:
  bool TryTake(uint32_t index, uint64_t seen, StreamId stream, ChunkState state, int64_t now_ns);
  std::optional<ChunkId> AcquireInState(ChunkState wanted, StreamId stream, ChunkState state, int64_t now_ns);
  void SetState(ChunkId chunk, ChunkState state);

  SegmentHeader* const header_;
  ChunkRow* const rows_;
  const uint32_t mapped_chunks_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_CHUNK_DIRECTORY_H_
