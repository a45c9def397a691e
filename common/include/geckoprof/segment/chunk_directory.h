#ifndef GECKOPROF_SEGMENT_CHUNK_DIRECTORY_H_
#define GECKOPROF_SEGMENT_CHUNK_DIRECTORY_H_

#include <cstdint>
#include <optional>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// ChunkDirectory: who may touch which chunk of a segment, and in which order chunks die. It holds no data of a profile.
//
// One row a chunk lies in the segment itself, so the writing process and a recorder see the same truth. All hinges on
// the row's word (generation | stream | state):
//
//              Acquire               Finish               Acquire (recycles: generation + 1)
//     kFree ------------> kInUse --------------> kDone ------------------------------------> kInUse
//                          |  ^
//              Leave       v  |  Acquire(continue_partial), same generation, bytes stay
//                         kPartial
//     kFree --AcquirePinned--> kPinned
//
// Invariants:
//   (1) kInUse has exactly one writer. So a writer needs no lock and no read-modify-write for its entries.
//   (2) The generation changes exactly when bytes that a reader may have seen stop being valid. So a reader that finds
//       it unchanged after its copy has a consistent copy, and one that finds it changed throws the copy away.
//   (3) Block ranges never overlap and grow with the order of Acquire. So "older" is decidable between streams.
//   (4) Only chunks below `prepared_chunks` are ever touched: their pages exist.
// The search for a chunk goes round like a clock's hand, so the one recycled is the one that was acquired longest ago,
// except that a chunk still written when the hand passed waits for the next round. Threads: Acquire, Finish, Leave: any
// writer, lock-free; at most prepared_chunks tries. Context: any, signal context included. Lifetime: a view; the
// mapping must outlive it.
class ChunkDirectory {
 public:
  ChunkDirectory(SegmentHeader* header, ChunkRow* rows) : header_(header), rows_(rows) {}

  enum class Partial : uint8_t { kContinue, kIgnore };

  // Takes a chunk for `stream`: with kContinue one that an ended thread left first, then a free one, then the oldest
  // that is not in use, and last a half-filled one. Empty if there is none: the caller drops its entry and counts it.
  // `now_ns` becomes the base of the chunk's time deltas, unless it is continued.
  // kFreeOnly: empty rather than a chunk whose contents would be lost.
  enum class Reuse : uint8_t { kFreeOnly, kAny };
  std::optional<ChunkId> Acquire(StreamId stream, Partial partial, int64_t now_ns, Reuse reuse = Reuse::kAny);

  // Takes a chunk that is never recycled from then on: a free one, or else the oldest that is done. Empty at the cap (a
  // quarter of the segment) or if there is neither.
  std::optional<ChunkId> AcquirePinned(StreamId stream, int64_t now_ns, Reuse reuse = Reuse::kAny);

  // The writer is done with it: full, or left for another thread. REQUIRES: the caller's stream owns `chunk`.
  void Finish(ChunkId chunk) { SetState(chunk, ChunkState::kDone); }
  void Leave(ChunkId chunk) { SetState(chunk, ChunkState::kPartial); }

  // Whether a prepared chunk is still unused: what the sampler keeps true while the segment can grow. Free chunks are
  // used up in the order of their index, so the last prepared one tells.
  bool HasFree() const { return CountFreeAtEnd(1) == 1; }
  uint32_t CountFreeAtEnd(uint32_t most) const;

  ChunkRow& row(ChunkId chunk) const { return rows_[chunk.ToNumber()]; }

 private:
  bool TryTake(uint32_t index, uint64_t seen, StreamId stream, ChunkState state, int64_t now_ns);
  std::optional<ChunkId> TakeInState(ChunkState wanted, StreamId stream, ChunkState state, int64_t now_ns);
  void SetState(ChunkId chunk, ChunkState state);

  SegmentHeader* const header_;
  ChunkRow* const rows_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_CHUNK_DIRECTORY_H_
