#ifndef GECKOPROF_SEGMENT_STREAM_WRITER_H_
#define GECKOPROF_SEGMENT_STREAM_WRITER_H_

#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// StreamWriter: the one writer of one stream. It puts blocks into the stream's current chunk and takes a new one when
// needed.
//
//   chunk: | block | block | block |        free         |      block = ULEB128 size, then that many bytes: the entry
//          0                       ^ tail                       size 0 does not exist; a block never straddles two
//          chunks
//
// So each chunk stays readable by itself; an entry larger than a chunk is dropped and counted (kTooLarge).
// If Put returned, every byte of the entry is visible to whoever reads the row's tail afterwards (release store).
// Threads: one owner. A nested call (a signal handler on the owner's thread that interrupted Put) is detected, dropped
// and counted, never torn. Context: any, signal context included. No lock, no read-modify-write but when a chunk is
// taken.
class StreamWriter {
 public:
  StreamWriter() = default;
  // Where chunks come from: any; first one that an ended thread left half-filled; or chunks that are never recycled.
  enum class Supply : uint8_t { kOrdinary, kContinuePartial, kPinned };
  StreamWriter(const Segment* segment, StreamId stream, Supply supply)
      : segment_(segment), stream_(stream), supply_(supply) {}

  // The place of an entry, for who wants to refer to it.
  struct Place {
    ChunkId chunk;
    BlockIndex block;
  };

  // Appends one entry recorded at `now_ns`. Empty if it was dropped (counted).
  std::optional<Place> Put(std::span<const uint8_t> entry, int64_t now_ns);

  // The fast way for a short block, `bytes` long with its size: where it goes, or null if that takes more than a look
  // (Put then). Commit publishes it. REQUIRES: a signal handler that interrupts the two makes no entry, and a block of
  // 1 GiB at most.
  struct Reserved {
    uint8_t* to;
    uint32_t tail;  // the chunk's, with this block
  };
  Reserved Reserve(uint32_t bytes) const {
    const uint32_t tail = used_ + bytes;
    if (tail > room_bytes_) return {};
    if (bytes_ == nullptr) __builtin_unreachable();  // there is a chunk: so nobody asks a second time
    return {bytes_ + used_, tail};
  }
  void Commit(const Reserved& block) {
    used_ = block.tail;
    row_->tail.store(block.tail, std::memory_order_release);
  }

  // Makes sure that `bytes` more fit into the current chunk, taking a new chunk if not. False: there is none (counted).
  // Afterwards chunk_serial() tells whether chunk-local knowledge of the writer still holds.
  bool MakeRoom(size_t bytes, int64_t now_ns);

  // Grows by one with each chunk taken; 0 before the first. What a chunk-local dictionary is valid for.
  uint32_t chunk_serial() const { return chunk_serial_; }

  // Base of the time deltas in the current chunk. REQUIRES: chunk_serial() > 0.
  int64_t chunk_begin_ns() const { return row_->begin_ns.load(std::memory_order_relaxed); }

  // The owner's thread jumped out of a call, which will never be finished: what it had not published is forgotten. A
  // chunk that it was about to take may be lost.
  void GiveUp();

  // Lets go of the current chunk. Leave: another thread may continue it. A pinned chunk stays pinned.
  void Finish();
  void Leave();

 private:
  bool TakeChunk(int64_t now_ns);

  const Segment* segment_ = nullptr;
  StreamId stream_;
  Supply supply_ = Supply::kOrdinary;
  ChunkRow* row_ = nullptr;
  ChunkId chunk_;
  uint8_t* bytes_ = nullptr;
  uint32_t used_ = 0;
  uint32_t room_bytes_ = 0;  // of the current chunk; 0 without one
  uint32_t chunk_serial_ = 0;
  // Owner's thread only; volatile so that its own signal handler sees them.
  volatile bool writing_ = false;
  volatile bool taking_ = false;  // the fields above do not belong together
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_STREAM_WRITER_H_
