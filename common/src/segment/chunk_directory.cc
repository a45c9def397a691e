#include "geckoprof/segment/chunk_directory.h"

namespace geckoprof {

bool ChunkDirectory::TryTake(uint32_t index, uint64_t seen, StreamId stream, ChunkState state, int64_t now_ns) {
  ChunkRow& row = rows_[index];
  const bool continues = ChunkStateIn(seen) == ChunkState::kPartial && state == ChunkState::kInUse && now_ns < 0;
  const uint32_t generation = ChunkGeneration(seen) + (continues ? 0 : 1);
  const uint64_t mine = MakeChunkWord(generation, stream.ToNumber(), state);
  if (!row.word.compare_exchange_strong(seen, mine, std::memory_order_acq_rel, std::memory_order_relaxed)) return false;
  if (continues) return true;
  // A reader that sees any byte written after this point must also see the new generation. The acquire fence of the
  // reader pairs with this one.
  std::atomic_thread_fence(std::memory_order_release);
  row.tail.store(0, std::memory_order_relaxed);
  row.begin_ns.store(now_ns, std::memory_order_relaxed);
  row.last_ns.store(now_ns, std::memory_order_relaxed);
  row.block.store(header_->next_block.fetch_add(header_->chunk_bytes, std::memory_order_relaxed),
                  std::memory_order_release);
  return true;
}

std::optional<ChunkId> ChunkDirectory::AcquireInState(ChunkState wanted, StreamId stream, ChunkState state,
                                                      int64_t now_ns) {
  const uint32_t count = prepared();
  if (count == 0) return std::nullopt;
  uint32_t index = header_->clock_hand.load(std::memory_order_relaxed) % count;
  for (uint32_t looked = 0; looked < count; ++looked, index = index + 1 == count ? 0 : index + 1) {
    const uint64_t seen = rows_[index].word.load(std::memory_order_relaxed);
    if (ChunkStateIn(seen) != wanted || !TryTake(index, seen, stream, state, now_ns)) continue;
    header_->clock_hand.store(index + 1, std::memory_order_relaxed);
    return ChunkId::FromNumber(index);
  }
  return std::nullopt;
}

std::optional<ChunkId> ChunkDirectory::Acquire(StreamId stream, Partial partial, int64_t now_ns, Reuse reuse) {
  constexpr int64_t kKeepTimes = -1;
  if (partial == Partial::kContinue) {
    // The half-filled chunk keeps its times, so a negative time stands for "continue".
    if (auto chunk = AcquireInState(ChunkState::kPartial, stream, ChunkState::kInUse, kKeepTimes)) return chunk;
  }
  if (HasFree()) {
    if (auto chunk = AcquireInState(ChunkState::kFree, stream, ChunkState::kInUse, now_ns)) return chunk;
  }
  if (reuse == Reuse::kFreeOnly) return std::nullopt;
  if (auto chunk = AcquireInState(ChunkState::kDone, stream, ChunkState::kInUse, now_ns)) return chunk;
  // The last choice loses entries of a thread that has ended.
  return AcquireInState(ChunkState::kPartial, stream, ChunkState::kInUse, now_ns);
}

std::optional<ChunkId> ChunkDirectory::AcquirePinned(StreamId stream, int64_t now_ns, Reuse reuse) {
  const uint32_t cap = header_->chunk_count < 8 ? 2 : header_->chunk_count / 4;
  if (header_->metadata_chunks.load(std::memory_order_relaxed) >= cap) return std::nullopt;
  auto chunk = AcquireInState(ChunkState::kFree, stream, ChunkState::kPinned, now_ns);
  if (!chunk && reuse == Reuse::kAny) chunk = AcquireInState(ChunkState::kDone, stream, ChunkState::kPinned, now_ns);
  if (chunk) header_->metadata_chunks.fetch_add(1, std::memory_order_relaxed);
  return chunk;
}

int64_t ChunkDirectory::Release(ChunkId chunk, int64_t before_ns) {
  ChunkRow& row = rows_[chunk.ToNumber()];
  uint64_t seen = row.word.load(std::memory_order_acquire);
  const ChunkState state = ChunkStateIn(seen);
  const int64_t last_ns = row.last_ns.load(std::memory_order_relaxed);
  const bool may_go = (state == ChunkState::kDone || state == ChunkState::kPartial) && last_ns < before_ns;
  const uint64_t released = MakeChunkWord(ChunkGeneration(seen) + 1, ChunkStream(seen), ChunkState::kReleased);
  if (!may_go || !row.word.compare_exchange_strong(seen, released, std::memory_order_acq_rel)) return 0;
  row.tail.store(0, std::memory_order_relaxed);
  row.block.store(0, std::memory_order_relaxed);  // no marker's chunk is current any more
  return last_ns;
}

void ChunkDirectory::Restore(ChunkId chunk) { SetState(chunk, ChunkState::kDone); }

std::optional<ChunkId> ChunkDirectory::FindReleased() const {
  const uint32_t count = prepared();
  const uint32_t hand = header_->clock_hand.load(std::memory_order_relaxed);
  for (uint32_t looked = 0; looked < count; ++looked) {
    const uint32_t index = (hand % count + looked) % count;
    const ChunkState state = ChunkStateIn(rows_[index].word.load(std::memory_order_relaxed));
    if (state == ChunkState::kReleased) return ChunkId::FromNumber(index);
    if (state == ChunkState::kDone) return std::nullopt;
  }
  return std::nullopt;
}

void ChunkDirectory::SetState(ChunkId chunk, ChunkState state) {
  std::atomic<uint64_t>& word = rows_[chunk.ToNumber()].word;
  const uint64_t seen = word.load(std::memory_order_relaxed);
  word.store(MakeChunkWord(ChunkGeneration(seen), ChunkStream(seen), state), std::memory_order_release);
}

uint32_t ChunkDirectory::CountFreeAtEnd(uint32_t most) const {
  const uint32_t count = prepared();
  uint32_t free = 0;
  while (free < most && free < count &&
         ChunkStateIn(rows_[count - 1 - free].word.load(std::memory_order_relaxed)) == ChunkState::kFree) {
    ++free;
  }
  return free;
}

}  // namespace geckoprof
