#ifndef GECKOPROF_ENTRIES_SAMPLE_WRITER_H_
#define GECKOPROF_ENTRIES_SAMPLE_WRITER_H_

#include <cstdint>
#include <span>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/modules/memory_map.h"
#include "geckoprof/segment/stream_writer.h"

namespace geckoprof {

// One sample of one thread.
struct SampleInfo {
  ThreadIndex thread;
  int64_t time_ns = 0;  // when the stack was taken; may lie before the tick for a late answer
  int64_t cpu_ns = -1;  // CPU used since the thread's previous sample; negative: unknown
  bool was_blocked = false;
};

// SampleWriter: the sampler's stream. A tick is written once, with the first sample that belongs to it; a tick without
// samples costs nothing until the next one that has some, which carries the count. Where ticks cease for a while, the
// last before it and the first after it are told.
//
//   | kTick | kStack (new part only) | kSample | kStack | kSample | kTick | ...
//
// A sample, its tick and its stack always lie in the same chunk: each chunk is readable by itself. The chunk's last_ns
// is no earlier than any sample in it, however long after its tick that was taken: a sampler that gets no core may be
// in the middle of a tick for seconds, and readers tell such a sample from a damaged one by this time. Threads: owned
// by the sampler. Context: not signal context. No allocation after construction.
class SampleWriter {
 public:
  explicit SampleWriter(const Segment* segment);
  bool ok() const { return stacks_.ok() && entry_; }

  void BeginTick(int64_t tick_ns) {
    if (tick_open_ && !tick_written_) ++idle_ticks_;
    tick_ns_ = tick_ns;
    tick_open_ = true;
    tick_written_ = false;
    if (run_ended_) BeginRun();
  }

  // No tick is due until the next BeginTick, however long that takes: until then nobody was idle, either.
  void EndRun();

  int64_t tick_ns() const { return tick_ns_; }

  // `frames`: outermost first. False: dropped, and counted.
  bool Add(const SampleInfo& sample, std::span<const StackFrame> frames);

  // The stack that a marker names by `id`. False: dropped, and counted.
  bool AddMarkerStack(uint64_t id, std::span<const StackFrame> frames, int64_t now_ns);

  // Puts a kCounterSample entry that is meant for the chunk of `chunk_serial` behind the tick. kOtherChunk: that one is
  // full, or was never there; another one was taken, and nothing was written. kDropped: counted.
  enum class CounterResult : uint8_t { kAppended, kOtherChunk, kDropped };
  CounterResult AddCounters(std::span<const uint8_t> entry, uint32_t chunk_serial);

  // From this tick on the thread is not looked at: that it has no more samples says nothing of it. False: not written,
  // there was no room left in the chunk; at the next tick there may be.
  bool AddFilteredOut(ThreadIndex thread) {
    uint8_t room[1 + sizeof(uint32_t)];
    EntryBuilder entry(EntryType::kFilteredOut, room);
    return AddCounters(entry.Fixed(thread.ToNumber()).bytes(), chunk_serial()) == CounterResult::kAppended;
  }

  // Of the current chunk, 0 before the first.
  uint32_t chunk_serial() const { return stream_.chunk_serial(); }

  // Libraries were unmapped, as was noticed now; addresses at `ranges`, where known ones went or new ones came, mean
  // something else from here on. Stacks that go through them are written anew; the others stay known.
  void NoteUnmapped(std::span<const AddressRange> ranges, int64_t now_ns);

  // What comes next begins a new chunk.
  void EndChunkForTest() { stream_.Finish(); }

 private:
  void NoteChunk();
  bool MakeRoomFor(std::span<const StackFrame>& frames, int64_t now_ns, ChunkStacks::Match& match);
  bool AppendStack(std::span<const StackFrame> frames, const ChunkStacks::Match& match, uint32_t& node);
  void WriteTick();
  void BeginRun();
  bool Append(const EntryBuilder& entry) { return entry.fits() && AppendBytes(entry.bytes()); }
  bool AppendBytes(std::span<const uint8_t> entry);

  const Segment* segment_;
  StreamWriter stream_;
  ChunkStacks stacks_;
  PageMemory entry_;  // where an entry is put together
  uint32_t chunk_serial_ = 0;
  int64_t last_tick_ns_ = 0;  // the chunk's last kTick, or its begin
  int64_t newest_ns_ = 0;     // of all ticks and samples so far
  int64_t tick_ns_ = 0;
  uint64_t idle_ticks_ = 0;
  bool tick_open_ = false;
  bool tick_written_ = false;
  bool run_ended_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_SAMPLE_WRITER_H_
