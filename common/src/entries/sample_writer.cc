#include "geckoprof/entries/sample_writer.h"

#include <algorithm>

namespace geckoprof {

namespace {

constexpr size_t kTickBytes = 2 + 2 * kMaxLeb128Bytes;
constexpr size_t kSampleBytes = 2 + 8 * kMaxLeb128Bytes;
constexpr size_t kUnmappedBytes = 2 + kMaxLeb128Bytes;
constexpr size_t kEntryBytes = 64 * 1024;

// A tick repeats samples until their stacks have this many bytes together. They are about 2,000 frames, which take
// about a tenth of a millisecond. In a segment of small chunks it is a quarter of a chunk.
constexpr size_t kRepeatBytes = 16 * 1024;
constexpr size_t kUsualSampleBytes = 16;  // without the stack

// Appends the fields that a reader takes for 0 if they are missing.
template <size_t kCount>
void AddTrailing(const uint64_t (&fields)[kCount], EntryBuilder& entry) {
  size_t count = kCount;
  while (count > 0 && fields[count - 1] == 0) --count;
  for (size_t i = 0; i < count; ++i) entry.U(fields[i]);
}

uint64_t NumberOf(WaitCause cause) { return static_cast<uint64_t>(cause); }
uint64_t LockField(const Wait& wait) { return wait.lock_address == 0 ? 0 : wait.lock_address + 1; }
uint64_t HolderField(const Wait& wait) { return wait.holder.IsSpecified() ? uint64_t{wait.holder.ToNumber()} + 1 : 0; }

}  // namespace

SampleWriter::SampleWriter(const Segment* segment)
    : segment_(segment),
      stream_(segment, StreamId::FromNumber(kSamplerStream), StreamWriter::Supply::kOrdinary),
      entry_(PageMemory::Map(kEntryBytes)) {}

void SampleWriter::NoteChunk() {
  if (stream_.chunk_serial() == chunk_serial_) return;
  chunk_serial_ = stream_.chunk_serial();
  stacks_.Begin();
  last_tick_ns_ = stream_.chunk_begin_ns();
  others_at_begin_ = ChunksOfOthers();
  tick_written_ = false;
}

bool SampleWriter::AppendBytes(std::span<const uint8_t> entry) {
  if (!stream_.Append(entry, newest_ns_)) return false;
  segment_->header().sampler_bytes.fetch_add(entry.size() + Uleb128Bytes(entry.size()), std::memory_order_relaxed);
  return true;
}

void SampleWriter::WriteTick() {
  uint8_t room[kTickBytes];
  EntryBuilder entry(EntryType::kTick, room);
  const int64_t since = tick_ns_ > last_tick_ns_ ? tick_ns_ - last_tick_ns_ : 0;
  entry.U(idle_ticks_).U(static_cast<uint64_t>(since));
  if (!Append(entry)) return;
  last_tick_ns_ += since;
  idle_ticks_ = 0;
  tick_written_ = true;
}

void SampleWriter::EndRun() {
  if (!tick_open_) return;
  const uint64_t ticks = idle_ticks_ + (tick_written_ ? 0 : 1);
  tick_open_ = tick_written_ = false;
  run_ended_ = true;
  if (!stream_.MakeRoom(kTickBytes, tick_ns_)) return;
  NoteChunk();
  uint8_t room[kTickBytes];
  EntryBuilder entry(EntryType::kTicksEnd, room);
  if (Append(entry.U(ticks).Z(tick_ns_ - last_tick_ns_))) idle_ticks_ = 0;
}

// The first tick is written at once. Readers would otherwise place a run that begins with idle ticks by its end.
void SampleWriter::BeginRun() {
  run_ended_ = false;
  if (!stream_.MakeRoom(kTickBytes, tick_ns_)) return;
  NoteChunk();
  WriteTick();
}

void SampleWriter::NoteUnmapped(std::span<const AddressRange> ranges, int64_t now_ns) {
  if (chunk_serial_ == 0) return;
  for (const AddressRange& range : ranges) {
    stacks_.Forget(range);
    last_samples_.ForgetCode(range);
    marker_stacks_.ForgetCode(range);
  }
  if (!stream_.MakeRoom(kUnmappedBytes, now_ns)) return;
  const bool begins_now = stream_.chunk_serial() != chunk_serial_;
  NoteChunk();
  if (begins_now) return;  // the whole chunk is of the time after it
  uint8_t room[kUnmappedBytes];
  EntryBuilder entry(EntryType::kUnmapped, room);
  Append(entry.U(static_cast<uint64_t>(std::max<int64_t>(now_ns - stream_.chunk_begin_ns(), 0))));
}

SampleWriter::CounterResult SampleWriter::AddCounters(std::span<const uint8_t> entry, uint32_t chunk_serial) {
  if (!stream_.MakeRoom(entry.size() + kMaxLeb128Bytes + kTickBytes, tick_ns_)) return CounterResult::kDropped;
  NoteChunk();
  if (chunk_serial_ != chunk_serial) return CounterResult::kOtherChunk;
  if (!tick_written_) WriteTick();
  return AppendBytes(entry) ? CounterResult::kAppended : CounterResult::kDropped;
}

// Keeps the innermost frames of a stack that no chunk could hold. Returns false if there is no room for the sample.
bool SampleWriter::MakeRoomFor(std::span<const StackFrame>& frames, int64_t now_ns, ChunkStacks::Match& match) {
  const size_t most_bytes = segment_->chunk_bytes() / 2;
  while (ChunkStacks::MaxBytes(frames) + kTickBytes + kSampleBytes > most_bytes)
    frames = frames.subspan(frames.size() / 2);

  match = chunk_serial_ == 0 ? ChunkStacks::Match{} : stacks_.Find(frames);
  if (!stacks_.CanAdd(frames.size())) stream_.Finish();
  const size_t bytes =
      ChunkStacks::MaxBytes(frames.subspan(match.frames)) + kMaxLeb128Bytes + kTickBytes + kSampleBytes;
  if (!stream_.MakeRoom(bytes, now_ns)) return false;
  if (stream_.chunk_serial() != chunk_serial_) {
    // A new chunk knows no stacks, and an empty one has room for a whole stack (see above).
    NoteChunk();
    match = {};
  }
  return true;
}

// Returns false if the stack did not fit.
bool SampleWriter::AppendStack(std::span<const StackFrame> frames, const ChunkStacks::Match& match, uint32_t& node) {
  node = match.node;
  if (match.frames == frames.size()) return true;
  EntryBuilder stack(EntryType::kStack, {entry_.data(), entry_.size_bytes()});
  node = stacks_.Add(match.node, frames.subspan(match.frames), stack);
  return Append(stack);
}

bool SampleWriter::AddMarkerStack(uint64_t id, std::span<const StackFrame> frames, int64_t now_ns,
                                  const ChunkUse& marker) {
  ChunkStacks::Match match;
  if (!MakeRoomFor(frames, now_ns, match)) return false;
  newest_ns_ = std::max(newest_ns_, now_ns);
  uint32_t node = 0;
  if (!AppendStack(frames, match, node)) return false;
  uint8_t room[kSampleBytes];
  EntryBuilder entry(EntryType::kMarkerStack, room);
  entry.U(id).U(node);
  if (!Append(entry)) return false;
  if (marker.block != ChunkUse::kNone) marker_stacks_.Add(id, marker, stream_.chunk_use(), frames);
  return true;
}

// Writes what a row needs before it. `frames` is cut if the stack is too large for a chunk.
bool SampleWriter::BeginRow(std::span<const StackFrame>& frames, int64_t time_ns, uint32_t& node) {
  ChunkStacks::Match match;
  if (!MakeRoomFor(frames, tick_ns_, match)) return false;
  newest_ns_ = std::max({newest_ns_, tick_ns_, time_ns});
  if (tick_open_ && !tick_written_) WriteTick();
  return AppendStack(frames, match, node);
}

bool SampleWriter::Add(const SampleInfo& sample, std::span<const StackFrame> frames) {
  uint32_t node = 0;
  if (!BeginRow(frames, sample.time_ns, node)) return false;
  uint8_t room[kSampleBytes];
  const Wait& wait = sample.wait;
  const bool is_waiting = wait.cause != WaitCause::kNone;
  EntryBuilder entry(is_waiting ? EntryType::kBlockedSample : EntryType::kSample, room);
  entry.U(sample.thread.ToNumber()).Z(sample.time_ns - last_tick_ns_);
  entry.U(sample.cpu_ns < 0 ? 0 : static_cast<uint64_t>(sample.cpu_ns) + 1).U(node);
  const uint64_t ready_ns = sample.ready_ns > 0 ? static_cast<uint64_t>(sample.ready_ns) : 0;
  if (is_waiting) {
    AddTrailing({NumberOf(wait.cause), ready_ns, LockField(wait), HolderField(wait)}, entry);
  } else {
    AddTrailing({ready_ns}, entry);
  }
  if (!Append(entry)) return false;
  if (sample.last != nullptr) {
    const LastSample::Row row{sample.thread, sample.time_ns, wait, chunk_serial_, node};
    last_samples_.Keep(*sample.last, row, frames);
  }
  return true;
}

bool SampleWriter::Repeat(LastSample& last, std::span<const StackFrame> frames) {
  const LastSample::Row& row = last.row();
  const uint64_t bytes_before = bytes();
  uint32_t node = 0;
  if (!BeginRow(frames, row.time_ns, node)) return false;
  uint8_t room[kSampleBytes];
  EntryBuilder entry(EntryType::kLastSample, room);
  entry.U(row.thread.ToNumber()).Z(row.time_ns - last_tick_ns_);
  const bool is_waiting = row.wait.cause != WaitCause::kNone;
  entry.U(is_waiting ? kLastSampleIsBlocked : 0).U(node);
  if (is_waiting) AddTrailing({NumberOf(row.wait.cause), LockField(row.wait), HolderField(row.wait)}, entry);
  if (!Append(entry)) return false;
  last_samples_.NoteRepeated(last, chunk_serial_, node, bytes() - bytes_before);
  return true;
}

void SampleWriter::RepeatDue() {
  if (chunk_serial_ == 0) return;
  const size_t most_bytes = std::min<size_t>(kRepeatBytes, segment_->chunk_bytes() / 4);
  RepeatLastSamples(most_bytes);
  RepeatMarkerStacks(most_bytes);
}

void SampleWriter::RepeatLastSamples(size_t most_bytes) {
  // Fewer chunks are there at the beginning, when none is recycled yet.
  constexpr uint32_t kFewestChunks = Segment::kAhead + 2;
  const uint64_t others = ChunksOfOthers();
  const uint32_t chunk_count =
      std::max(segment_->header().prepared_chunks.load(std::memory_order_relaxed), kFewestChunks);
  if (last_samples_.BeginRoundIfDue({chunk_serial_, bytes(), others}, chunk_count, others - others_at_begin_)) {
    stream_.Finish();
  }
  size_t repeated_bytes = 0;
  std::span<const StackFrame> frames;
  while (repeated_bytes < most_bytes) {
    LastSample* const last = last_samples_.NextDue(frames);
    if (last == nullptr) return;
    repeated_bytes += last->stack().size_bytes() + kUsualSampleBytes;
    if (!Repeat(*last, frames)) return;
  }
}

void SampleWriter::RepeatMarkerStacks(size_t most_bytes) {
  const SegmentHeader& header = segment_->header();
  const uint64_t half_bytes =
      uint64_t{header.prepared_chunks.load(std::memory_order_relaxed)} * segment_->chunk_bytes() / 2;
  const uint64_t begun_bytes = header.next_block.load(std::memory_order_relaxed);
  const ChunkUse current = stream_.chunk_use();
  MarkerStackCopies::Copy copy;
  std::vector<StackFrame> frames;
  size_t repeated_bytes = 0;
  while (repeated_bytes < most_bytes && marker_stacks_.RemoveDue(current, begun_bytes, half_bytes, copy)) {
    repeated_bytes += copy.stack.size_bytes() + kUsualSampleBytes;
    if (!segment_->directory().IsCurrent(copy.marker)) continue;
    copy.stack.CopyTo(frames);
    if (!AddMarkerStack(copy.id, frames, tick_ns_, copy.marker)) return;
  }
}

void CounterWriter::Begin() {
  whole_ = chunk_serial_ == 0 || samples_.chunk_serial() != chunk_serial_;
  chunk_serial_ = samples_.chunk_serial();
  fits_ = true;
  dropped_ = false;
  used_ = 0;
}

void CounterWriter::Add(uint32_t id, const Value& value, Written& written) {
  const bool changed = value.count != written.count || (value.has_number && value.number != written.number);
  if (!fits_ || (!changed && !(whole_ && written.ever))) return;
  if (used_ == 0) batch_[used_++] = static_cast<uint8_t>(EntryType::kCounterSample);
  // Differences wrap, because a counter may have any value.
  const auto since = [&](int64_t now, int64_t before) {
    return whole_ ? now : static_cast<int64_t>(static_cast<uint64_t>(now) - static_cast<uint64_t>(before));
  };
  uint8_t* out = batch_ + used_;
  out = WriteUleb128(
      uint64_t{id} << 2 | (value.has_number ? kCounterSampleHasNumber : 0) | (whole_ ? kCounterSampleIsWhole : 0), out);
  out = WriteUleb128(ToZigzag(since(value.count, written.count)), out);
  if (value.has_number) out = WriteUleb128(ToZigzag(since(value.number, written.number)), out);
  used_ = static_cast<size_t>(out - batch_);
  written = {value.count, value.number, true};
  if (used_ + kMaxBytesEach > kBatchBytes) Flush();
}

void CounterWriter::Flush() {
  if (used_ == 0 || !fits_ || dropped_) return;
  const SampleWriter::CounterResult result = samples_.AddCounters({batch_, used_}, chunk_serial_);
  used_ = 0;
  fits_ = result != SampleWriter::CounterResult::kOtherChunk;
  dropped_ = result == SampleWriter::CounterResult::kDropped;
}

bool CounterWriter::End() {
  Flush();
  if (!fits_ || dropped_) chunk_serial_ = 0;
  return fits_;
}

}  // namespace geckoprof
