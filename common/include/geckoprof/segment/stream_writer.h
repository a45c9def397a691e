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
// Each chunk stays readable by itself. An entry larger than a chunk is dropped and counted (kTooLarge).
// After Append has returned, a reader that loads the row's tail sees every byte of the entry (release store).
// A signal handler of the owner may interrupt Append and call it. The nested call is dropped and counted, and the
// interrupted entry stays whole. The writer takes no lock, and it needs no atomic read-modify-write within a chunk.
// Threads: one owner. Context: any, signal context included.
class StreamWriter {
 public:
  StreamWriter() = default;
  // The source of chunks. kContinuePartial first takes one that an ended thread left half-filled. Pinned chunks are
  // never recycled.
  enum class Supply : uint8_t { kOrdinary, kContinuePartial, kPinned };
  StreamWriter(const Segment* segment, StreamId stream, Supply supply)
      : segment_(segment), stream_(stream), supply_(supply) {}

  // The place of an entry, for references to it.
  struct Place {
    ChunkId chunk;
    BlockIndex block;
  };

  // Appends one entry recorded at `now_ns`. Returns nothing if the entry was dropped, which is counted.
  std::optional<Place> Append(std::span<const uint8_t> entry, int64_t now_ns);

  // Reserves room for a short block, which is `bytes` long with its size. Returns null if the current chunk has no
  // room; use Append then. Commit publishes the block. REQUIRES: a signal handler that interrupts the caller between
  // the two makes no entry. The block has at most 1 GiB.
  struct Reserved {
    uint8_t* to;
    uint32_t tail;  // the chunk's tail with this block
  };
  Reserved Reserve(uint32_t bytes) const {
    const uint32_t tail = used_ + bytes;
    if (tail > room_bytes_) return {};
    if (bytes_ == nullptr) __builtin_unreachable();  // Room implies a chunk, so the caller need not test `to` again.
    return {bytes_ + used_, tail};
  }
  void Commit(const Reserved& block) {
    used_ = block.tail;
    row_->tail.store(block.tail, std::memory_order_release);
  }

  // Takes a new chunk unless `bytes` more fit into the current one. Returns false if there is no chunk, which is
  // counted. The writer's knowledge of its chunk still holds afterwards if chunk_serial() is the same.
  bool MakeRoom(size_t bytes, int64_t now_ns);

  // The number of chunks taken so far. A dictionary of a chunk is valid for one serial.
  uint32_t chunk_serial() const { return chunk_serial_; }

  // The current chunk, if the writer has one.
  ChunkUse chunk_use() const {
    return row_ != nullptr ? ChunkUse{chunk_, row_->block.load(std::memory_order_relaxed)} : ChunkUse{};
  }

  // The base of the time deltas in the current chunk. REQUIRES: chunk_serial() > 0.
  int64_t chunk_begin_ns() const { return row_->begin_ns.load(std::memory_order_relaxed); }

  // Both release the current chunk. After ReleasePartial another writer may continue it. A pinned chunk stays pinned.
  // After the owner's thread has jumped out of a call, ReleasePartial is the only call that may follow. The published
  // entries stay. If the call was taking a chunk, that chunk may be lost.
  void Finish();
  void ReleasePartial();

 private:
  bool AcquireChunk(int64_t now_ns);
  // Forgets the current chunk. Returns whether there was one.
  bool ForgetChunk();

  const Segment* segment_ = nullptr;
  StreamId stream_;
  Supply supply_ = Supply::kOrdinary;
  ChunkRow* row_ = nullptr;  // It is not null only while the fields below belong together.
  ChunkId chunk_;
  uint8_t* bytes_ = nullptr;
  uint32_t used_ = 0;
  uint32_t room_bytes_ = 0;  // of the current chunk; 0 if there is none
  uint32_t chunk_serial_ = 0;
  volatile bool writing_ = false;  // The owner's signal handler reads it.
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_STREAM_WRITER_H_
