#include "geckoprof/segment/stream_writer.h"

#include <string.h>

#include <atomic>

#include "geckoprof/segment/leb128.h"

namespace geckoprof {

bool StreamWriter::AcquireChunk(int64_t now_ns) {
  Finish();
  ChunkDirectory directory = segment_->directory();
  using Reuse = ChunkDirectory::Reuse;
  const auto acquire = [&](Reuse reuse) {
    const auto partial =
        supply_ == Supply::kContinuePartial ? ChunkDirectory::Partial::kContinue : ChunkDirectory::Partial::kIgnore;
    return supply_ == Supply::kPinned ? directory.AcquirePinned(stream_, now_ns, reuse)
                                      : directory.Acquire(stream_, partial, now_ns, reuse);
  };
  // Other threads may acquire the chunks that this thread prepared. The number of tries bounds that race.
  constexpr int kMaxTries = 64;
  auto taken = acquire(Reuse::kFreeOnly);
  for (int tries = 0; !taken && tries < kMaxTries; ++tries) {
    if (!directory.HasFree() && !segment_->PrepareByMapping()) break;
    taken = acquire(Reuse::kFreeOnly);
  }
  if (!taken) taken = acquire(Reuse::kAny);
  // After the first chunk, the thread acquires no half-filled chunk.
  if (supply_ == Supply::kContinuePartial) supply_ = Supply::kOrdinary;
  if (!taken) return false;
  ChunkRow& row = directory.row(*taken);
  chunk_ = *taken;
  bytes_ = segment_->chunk(chunk_);
  used_ = row.tail.load(std::memory_order_relaxed);
  room_bytes_ = segment_->chunk_bytes();
  ++chunk_serial_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  row_ = &row;
  return true;
}

bool StreamWriter::MakeRoom(size_t bytes, int64_t now_ns) {
  if (bytes > segment_->chunk_bytes()) {
    segment_->CountDrop(DropReason::kTooLarge);
    return false;
  }
  if (row_ != nullptr && used_ + bytes <= segment_->chunk_bytes()) return true;
  if (AcquireChunk(now_ns) && used_ + bytes <= segment_->chunk_bytes()) return true;
  if (row_ != nullptr && AcquireChunk(now_ns)) return true;  // the half-filled chunk had too little room
  segment_->CountDrop(supply_ == Supply::kPinned ? DropReason::kMetadataFull : DropReason::kNoChunk);
  return false;
}

std::optional<StreamWriter::Place> StreamWriter::Append(std::span<const uint8_t> entry, int64_t now_ns) {
  if (writing_) {
    segment_->CountDrop(DropReason::kNested);
    return std::nullopt;
  }
  writing_ = true;
  std::optional<Place> place;
  const size_t block_bytes = Uleb128Bytes(entry.size()) + entry.size();
  if (MakeRoom(block_bytes, now_ns)) {
    place = {chunk_, BlockIndex::FromNumber(row_->block.load(std::memory_order_relaxed) + used_)};
    uint8_t* const body = WriteUleb128(entry.size(), bytes_ + used_);
    memcpy(body, entry.data(), entry.size());
    used_ += static_cast<uint32_t>(block_bytes);
    row_->last_ns.store(now_ns, std::memory_order_relaxed);
    row_->tail.store(used_, std::memory_order_release);
  }
  writing_ = false;
  return place;
}

// This comes first. A jump out of the later steps must not leave a chunk here that belongs to another writer by then.
bool StreamWriter::ForgetChunk() {
  const bool had_chunk = row_ != nullptr;
  row_ = nullptr;
  room_bytes_ = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return had_chunk;
}

void StreamWriter::Finish() {
  if (ForgetChunk() && supply_ != Supply::kPinned) segment_->directory().Finish(chunk_);
}

void StreamWriter::ReleasePartial() {
  if (ForgetChunk()) segment_->directory().ReleasePartial(chunk_);
}

}  // namespace geckoprof
