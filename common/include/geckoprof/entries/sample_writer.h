#ifndef GECKOPROF_ENTRIES_SAMPLE_WRITER_H_
#define GECKOPROF_ENTRIES_SAMPLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/entries/kept_stack.h"
#include "geckoprof/entries/last_samples.h"
#include "geckoprof/entries/wait_cause.h"
#include "geckoprof/modules/memory_map.h"
#include "geckoprof/segment/stream_writer.h"

namespace geckoprof {

// One sample of one thread. A waiting thread without a stack was in a wait that was too short to be read.
struct SampleInfo {
  ThreadIndex thread;
  int64_t time_ns = 0;         // when the stack was taken; may lie before the tick for a late answer
  int64_t cpu_ns = -1;         // CPU used since the thread's previous sample; negative: unknown
  Wait wait = {};              // of a running thread it has no cause
  LastSample* last = nullptr;  // the thread's; null: the sample is not repeated in later chunks
  int64_t ready_ns = 0;        // the time since the previous sample in which the thread waited for a core
};

// SampleWriter writes the sampler's stream. A tick is written with the first sample that belongs to it. A tick without
// samples takes no bytes. The next written tick carries the number of such ticks. If ticks cease for a while, the last
// tick before the gap and the first tick after it are written.
//
//   | kTick | kStack (new part only) | kSample | kStack | kSample | kTick | ...
//
// A sample, its tick and its stack always lie in the same chunk, so each chunk is readable by itself. The chunk's
// last_ns is no earlier than any sample in it. A sampler without a core may be in the middle of a tick for seconds.
// Readers use last_ns to tell such a late sample from a damaged one.
//
// A thread that sleeps has no samples. Its last sample is therefore repeated in later chunks (LastSamples). The stack
// of a marker is repeated, too (MarkerStackCopies).
//
// Threads: owned by the sampler. Context: not signal context. It allocates for what it repeats alone.
class SampleWriter {
 public:
  explicit SampleWriter(const Segment* segment);
  bool ok() const { return stacks_.ok() && entry_; }

  // Begins a tick. `count` is its distance from the tick before, in ticks. The ticks in between had no samples.
  void BeginTick(int64_t tick_ns, uint64_t count = 1) {
    if (tick_open_) idle_ticks_ += count - (tick_written_ ? 1 : 0);
    tick_ns_ = tick_ns;
    tick_open_ = true;
    tick_written_ = false;
    if (run_ended_) BeginRun();
  }

  // No tick is due until the next BeginTick. No thread counts as idle in the meantime.
  void EndRun();

  int64_t tick_ns() const { return tick_ns_; }
  bool is_tick_open() const { return tick_open_; }

  // Adds a sample. `frames` are outermost first. Returns false if the sample was dropped, which is counted.
  bool Add(const SampleInfo& sample, std::span<const StackFrame> frames);

  // Adds the stack that a marker names by `id`. Returns false if the stack was dropped, which is counted. If the chunk
  // with the marker is known, the stack is repeated in later chunks as long as the marker is there.
  bool AddMarkerStack(uint64_t id, std::span<const StackFrame> frames, int64_t now_ns, const ChunkUse& marker = {});

  // Appends a kCounterSample entry, which was built for the chunk of `chunk_serial`, to the current tick. kOtherChunk
  // means that this chunk is full or never existed. A new chunk was acquired then, and nothing was written. kDropped
  // means that the entry was dropped and counted.
  enum class CounterResult : uint8_t { kAppended, kOtherChunk, kDropped };
  CounterResult AddCounters(std::span<const uint8_t> entry, uint32_t chunk_serial);

  // Appends a kLooks entry. It belongs to no tick.
  void AddLooks(std::span<const uint8_t> entry) {
    if (!stream_.MakeRoom(entry.size() + kMaxLeb128Bytes, tick_ns_)) return;
    NoteChunk();
    AppendBytes(entry);
  }

  // The thread is not sampled from this tick on, so readers must not take it for idle. Returns false if the chunk had
  // no room. The caller may try again at the next tick.
  bool AddFilteredOut(ThreadIndex thread, LastSample* last = nullptr) {
    uint8_t room[1 + sizeof(uint32_t)];
    EntryBuilder entry(EntryType::kFilteredOut, room);
    entry.Fixed(thread.ToNumber());
    if (AddCounters(entry.bytes(), chunk_serial()) != CounterResult::kAppended) return false;
    if (last != nullptr) last->Forget();
    return true;
  }

  // Repeats the last samples and stacks of markers that are due (LastSamples, MarkerStackCopies), but only so many that
  // the tick stays short. Each tick calls it after its samples.
  void RepeatDue();

  // Repeats the last sample of each thread from now on, because older chunks are about to be released.
  void BeginRepetition() { last_samples_.BeginRound({chunk_serial_, bytes(), ChunksOfOthers()}); }
  bool IsRepeating() const { return last_samples_.HasDue(); }

  // The serial of the current chunk, or 0 before the first.
  uint32_t chunk_serial() const { return stream_.chunk_serial(); }

  // The sampler noticed now that libraries were unmapped. The code at `ranges` has changed. Stacks that go through
  // `ranges` are written again. Other stacks stay known.
  void NoteUnmapped(std::span<const AddressRange> ranges, int64_t now_ns);

  // The next entry begins a new chunk.
  void EndChunkForTest() { stream_.Finish(); }

 private:
  void NoteChunk();
  bool MakeRoomFor(std::span<const StackFrame>& frames, int64_t now_ns, ChunkStacks::Match& match);
  bool AppendStack(std::span<const StackFrame> frames, const ChunkStacks::Match& match, uint32_t& node);
  bool BeginRow(std::span<const StackFrame>& frames, int64_t time_ns, uint32_t& node);
  void RepeatLastSamples(size_t most_bytes);
  bool Repeat(LastSample& last, std::span<const StackFrame> frames);
  void RepeatMarkerStacks(size_t most_bytes);
  uint64_t bytes() const { return segment_->header().sampler_bytes.load(std::memory_order_relaxed); }
  // The number of chunks that other writers have begun.
  uint64_t ChunksOfOthers() const {
    return segment_->header().next_block.load(std::memory_order_relaxed) / segment_->chunk_bytes() - chunk_serial_;
  }
  void WriteTick();
  void BeginRun();
  bool Append(const EntryBuilder& entry) { return entry.fits() && AppendBytes(entry.bytes()); }
  bool AppendBytes(std::span<const uint8_t> entry);

  const Segment* segment_;
  StreamWriter stream_;
  ChunkStacks stacks_;
  LastSamples last_samples_;
  MarkerStackCopies marker_stacks_;
  PageMemory entry_;  // the place where an entry is built
  uint32_t chunk_serial_ = 0;
  uint64_t others_at_begin_ = 0;  // ChunksOfOthers() when the chunk began
  int64_t last_tick_ns_ = 0;      // the chunk's last kTick, or its begin
  int64_t newest_ns_ = 0;         // of all ticks and samples so far
  int64_t tick_ns_ = 0;
  uint64_t idle_ticks_ = 0;
  bool tick_open_ = false;
  bool tick_written_ = false;
  bool run_ended_ = false;
};

// CounterWriter writes the values of counters into the sampler's stream, after the tick at which they were read.
//
//   | kTick | kCounterSample: id, change; id, change; ... |        5 to 8 bytes a counter that changed
//
// An unchanged counter takes no bytes. In the first tick of each chunk, every counter that has ever changed is written
// with its whole value. The values are therefore right even if earlier chunks were recycled.
//
// Threads: owned by the sampler. Context: not signal context. It allocates nothing.
class CounterWriter {
 public:
  explicit CounterWriter(SampleWriter* samples) : samples_(*samples) {}

  struct Value {
    int64_t count;
    int64_t number;
    bool has_number;
  };
  // The counter's last values in the segment. They are initially the values of its definition.
  struct Written {
    int64_t count = 0;
    int64_t number = 0;
    bool ever = false;  // besides the definition
  };

  // Each tick calls Begin, then Add for every counter, then End.
  void Begin();
  void Add(uint32_t id, const Value& value, Written& written);
  // Returns false if the chunk was full. The caller must then begin again, with all counters.
  bool End();

 private:
  static constexpr size_t kBatchBytes = 1024;
  static constexpr size_t kMaxBytesEach = 3 * kMaxLeb128Bytes;
  void Flush();

  SampleWriter& samples_;
  uint32_t chunk_serial_ = 0;  // of the chunk that has all values; 0: none
  bool whole_ = false;         // this time all are written, and whole
  bool fits_ = true;
  bool dropped_ = false;
  size_t used_ = 0;
  uint8_t batch_[kBatchBytes] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_SAMPLE_WRITER_H_
