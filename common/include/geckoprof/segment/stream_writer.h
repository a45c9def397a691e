#ifndef GECKOPROF_SEGMENT_STREAM_WRITER_H_
#define GECKOPROF_SEGMENT_STREAM_WRITER_H_

#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// StreamWriter is the only writer of one stream. It appends blocks to the stream's current chunk and acquires a new
// chunk when it needs one.
//
//   chunk: | block | block | block |        free         |      block = ULEB128 size, then an entry of that many bytes
//          0                       ^ tail                       a size is never 0; a block never spans two chunks
//
// Each chunk can therefore be read by itself. An entry that is larger than a chunk is dropped and counted (kTooLarge).
// After Put has returned, a reader that reads the row's tail sees every byte of the entry (release store).
//
// Threads: one owner. A signal handler may interrupt Put on the owner's thread and call it again. A nested call is
// detected, dropped and counted, so entries are never mixed.
// Context: any, including signal context. There is no lock. Atomic read-modify-write operations occur only when a chunk
// is acquired.
class StreamWriter {
 public:
  StreamWriter() = default;
  // The source of chunks. kContinuePartial first tries a half-filled chunk of a thread that has ended. Chunks of
  // kPinned are never recycled.
  enum class Supply : uint8_t { kOrdinary, kContinuePartial, kPinned };
  StreamWriter(const Segment* segment, StreamId stream, Supply supply)
      : segment_(segment), stream_(stream), supply_(supply) {}

  // The place of an entry, for references to it.
  struct Place {
    ChunkId chunk;
    BlockIndex block;
  };

  // Appends one entry that was recorded at `now_ns`. The result is empty if the entry was dropped, which is counted.
  std::optional<Place> Put(std::span<const uint8_t> entry, int64_t now_ns);

  // Reserves `bytes` for a short block, including its size. Commit publishes the block. The result is null if the chunk
  // has no room, and the caller then uses Put. REQUIRES: a signal handler that interrupts the two calls writes no
  // entry, and a block has at most 1 GiB.
  struct Reserved {
    uint8_t* to;
    uint32_t tail;  // the chunk's tail with this block
  };
  Reserved Reserve(uint32_t bytes) const {
    const uint32_t tail = used_ + bytes;
    if (tail > room_bytes_) return {};
    if (bytes_ == nullptr) __builtin_unreachable();  // a chunk exists, so the compiler can omit a null check
    return {bytes_ + used_, tail};
  }
  void Commit(const Reserved& block) {
    used_ = block.tail;
    row_->tail.store(block.tail, std::memory_order_release);
  }

  // Makes sure that the current chunk has room for `bytes` more, and acquires a new chunk if not. Returns false if
  // there is none, which is counted. If chunk_serial() has changed, chunk-local data of the writer is no longer valid.
  bool MakeRoom(size_t bytes, int64_t now_ns);

  // Grows by one with each acquired chunk, and is 0 before the first. A chunk-local dictionary is valid for one number.
  uint32_t chunk_serial() const { return chunk_serial_; }

  // Returns the base of the time deltas in the current chunk. REQUIRES: chunk_serial() > 0.
  int64_t chunk_begin_ns() const { return row_->begin_ns.load(std::memory_order_relaxed); }

  // Abandons a call that the owner's thread has jumped out of and will never finish. Unpublished data is dropped. If
  // the call was about to acquire a chunk, that chunk may be lost.
  void GiveUp();

  // Releases the current chunk. After Leave, another thread may continue it. A pinned chunk stays pinned.
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
  uint32_t room_bytes_ = 0;  // of the current chunk; 0 if there is none
  uint32_t chunk_serial_ = 0;
  // Used by the owner's thread only. They are volatile, so that a signal handler on this thread sees them.
  volatile bool writing_ = false;
  volatile bool taking_ = false;  // the fields above are inconsistent
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_STREAM_WRITER_H_
