#ifndef GECKOPROF_READER_SAMPLE_READER_H_
#define GECKOPROF_READER_SAMPLE_READER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "index_map.h"
#include "metadata_reader.h"
#include "recorded_times.h"
#include "segment_tables.h"
#include "stack_reader.h"
#include "thread_samples.h"

namespace geckoprof {

// SampleReader reads the sampler's chunks in the order of their block indices, and gives each thread its samples. A
// thread without a sample at a tick did not run. A run of such ticks becomes one row, unless the thread was filtered
// out. The row is of a waiting thread, or of one that waited for a core if the next sample has such a time. A missing
// (recycled) chunk is a gap, and no rows fill it. A repeated sample counts as a sample only if the original is missing.
// Otherwise it only divides a long idle row. A sample that makes no sense is left out and counted. Ticks and stacks
// must be valid, because other entries depend on them.
//
// Lifetime: a view of the metadata. It must be made after the metadata was read. Threads: one. Context: allocates.
class SampleReader {
 public:
  // `counters` receives the values of counters. It may be null.
  SampleReader(ProcessProfile* profile, SegmentTables* tables, const MetadataReader* metadata,
               CounterReader* counters = nullptr);

  // Returns false if the chunk is damaged. The entries before the fault count. Block indices must rise from call to
  // call.
  bool ReadChunk(const SegmentView::ChunkCopy& chunk);

  // Ends the idle runs that are still open, and adds the rows that were held back. Must be called once, after the last
  // chunk.
  void Finish();

  // Counts the samples that were left out. Their thread is unknown, because its metadata had no room, or they make no
  // sense.
  uint64_t without_thread() const { return without_thread_; }
  uint64_t unreadable() const { return unreadable_; }

  // Returns the row of the stack that a marker names, or kNone.
  int32_t MarkerStack(uint64_t id) const;

 private:
  struct ThreadState {
    ThreadSamples samples;
    uint64_t last_tick = 0;  // number of the tick that its last sample belongs to
    bool any = false;        // it has a sample and is looked at, so it did not run in ticks without a sample
  };

  void ListStretches(std::span<const uint8_t> bytes, int64_t begin_ns);
  void BeginStretch(size_t number);
  bool ReadEntry(std::span<const uint8_t> entry);
  bool ReadTick(Leb128Reader& reader);
  void ReadTicksEnd(Leb128Reader& reader);
  bool ReadStack(Leb128Reader& reader);
  // The members that samples and last samples share. `latest_ns` is the largest possible offset from the tick. Returns
  // the row of the thread. If it is kNone, the sample makes no sense and was counted.
  struct SamplePlace {
    uint64_t thread;
    int64_t offset_ns;
    uint64_t node;
  };
  int32_t PlaceSample(const Leb128Reader& reader, const SamplePlace& place, int64_t latest_ns, SampleRow& sample);
  void ReadSample(Leb128Reader& reader, SampleState state);
  void ReadLastSample(Leb128Reader& reader);
  void ReadFilteredOut(Leb128Reader& reader);
  void ReadLooks(Leb128Reader& reader);
  void ReadMarkerStack(Leb128Reader& reader);
  void ReadLock(Leb128Reader& reader, SampleRow& sample) const;
  void AddSample(size_t thread, SampleRow sample);
  void AddLastSample(size_t thread, SampleRow sample);
  SampleRow LeadingRow(const ThreadRow& thread, const SampleRow& first) const;
  void AddRowsBefore(size_t thread, SampleRow& sample);
  void AddReadyRows(size_t thread, uint64_t last_tick, SampleRow& sample);
  // These ticks of a thread have no samples: those after `after`, up to `last`, that were no later than `until_ns`.
  struct Ticks {
    uint64_t after, last;
    int64_t until_ns;
  };
  void AddIdleTicks(size_t thread, uint64_t last_tick, int64_t until_ns, WaitCause next_cause = WaitCause::kNone);
  template <typename Add>
  void ForEachRun(const Ticks& ticks, const Add& add);
  bool AddTickRow(size_t thread, const TickRuns::Part& ticks, SampleRow row);

  ProcessProfile& profile_;
  const MetadataReader& metadata_;
  CounterReader* const counters_;
  const bool has_cpu_;
  StackReader frames_;
  IndexMap marker_stacks_;                // rows of the stack table by the id that markers name
  std::vector<StackReader::Node> nodes_;  // of the current chunk; node 0 is the root
  // An address means the same during a stretch of the current chunk. These are the begins of the stretches, and the
  // current one.
  std::vector<int64_t> stretches_;
  size_t stretch_ = 0;
  GapMarkers gaps_;
  std::vector<ThreadState> threads_;
  int64_t tick_ns_ = 0;
  int64_t latest_tick_ns_ = 0;  // of the current chunk: none can be later
  int64_t newest_ns_ = 0;       // as the current chunk's row says: no sample in it is later
  TickRuns ticks_;              // all so far, those without samples included
  bool any_tick_in_chunk_ = false;
  int64_t least_apart_ns_ = INT64_MAX;  // the shortest time between two ticks of the last run
  uint64_t tick_rows_ = 0;
  uint64_t without_thread_ = 0, unreadable_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SAMPLE_READER_H_
