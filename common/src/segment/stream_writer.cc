#include "geckoprof/segment/stream_writer.h"

#include <string.h>

#include <atomic>
#include <utility>

#include "geckoprof/segment/leb128.h"

namespace geckoprof {

bool StreamWriter::TakeChunk(int64_t now_ns) {
  // A signal handler on this thread may find the members half changed. The fences keep all changes between the two
  // stores to `taking_`.
  taking_ = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (row_ != nullptr) Finish();
  ChunkDirectory directory = segment_->directory();
  using Reuse = ChunkDirectory::Reuse;
  const auto acquire = [&](Reuse reuse) {
    const auto partial =
        supply_ == Supply::kContinuePartial ? ChunkDirectory::Partial::kContinue : ChunkDirectory::Partial::kIgnore;
    return supply_ == Supply::kPinned ? directory.AcquirePinned(stream_, now_ns, reuse)
                                      : directory.Acquire(stream_, partial, now_ns, reuse);
  };
  // Other threads may acquire the chunks that this thread prepared. The number of tries bounds that race.
  constexpr int kMostTries = 64;
  auto taken = acquire(Reuse::kFreeOnly);
  for (int tries = 0; !taken && tries < kMostTries; ++tries) {
    if (!directory.HasFree() && !segment_->PrepareByMapping()) break;
    taken = acquire(Reuse::kFreeOnly);
  }
  if (!taken) taken = acquire(Reuse::kAny);
  // After the first chunk, the thread acquires no half-filled chunk.
  if (supply_ == Supply::kContinuePartial) supply_ = Supply::kOrdinary;
  if (!taken) {
    taking_ = false;
    return false;
  }
  chunk_ = *taken;
  row_ = &directory.row(chunk_);
  bytes_ = segment_->chunk(chunk_);
  used_ = row_->tail.load(std::memory_order_relaxed);
  room_bytes_ = segment_->chunk_bytes();
  ++chunk_serial_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  taking_ = false;
  return true;
}

void StreamWriter::GiveUp() {
  writing_ = false;
  if (std::exchange(taking_, false)) {
    row_ = nullptr;
    room_bytes_ = 0;
    ++chunk_serial_;  // chunk-local data is not valid for the next chunk
  } else if (row_ != nullptr) {
    used_ = row_->tail.load(std::memory_order_relaxed);
  }
}

bool StreamWriter::MakeRoom(size_t bytes, int64_t now_ns) {
  if (bytes > segment_->chunk_bytes()) {
    segment_->CountDrop(DropReason::kTooLarge);
    return false;
  }
  if (row_ != nullptr && used_ + bytes <= segment_->chunk_bytes()) return true;
  if (TakeChunk(now_ns) && used_ + bytes <= segment_->chunk_bytes()) return true;
  if (row_ != nullptr && TakeChunk(now_ns)) return true;  // the half-filled chunk had too little room
  segment_->CountDrop(supply_ == Supply::kPinned ? DropReason::kMetadataFull : DropReason::kNoChunk);
  return false;
}

std::optional<StreamWriter::Place> StreamWriter::Put(std::span<const uint8_t> entry, int64_t now_ns) {
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

void StreamWriter::Finish() {
  if (row_ != nullptr && supply_ != Supply::kPinned) segment_->directory().Finish(chunk_);
  row_ = nullptr;
  room_bytes_ = 0;
}

void StreamWriter::Leave() {
  if (row_ != nullptr) segment_->directory().Leave(chunk_);
  row_ = nullptr;
  room_bytes_ = 0;
}

}  // namespace geckoprof
