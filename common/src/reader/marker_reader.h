#ifndef GECKOPROF_READER_MARKER_READER_H_
#define GECKOPROF_READER_MARKER_READER_H_

#include <cstdint>
#include <span>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "implied_types.h"
#include "index_map.h"
#include "marker_sites.h"
#include "payload_reader.h"
#include "sample_reader.h"
#include "segment_tables.h"
#include "stack_reader.h"
#include "threads_by_tid.h"

namespace geckoprof {

// MarkerReader reads the chunks of marker streams. A chunk may have had several writers, one after the other. Each
// begins with an entry that names its thread. A marker that makes no sense is left out and counted.
//
// Lifetime: it is made after the metadata was read, and no thread is added in between. Threads: one. Context:
// allocates.
class MarkerReader {
 public:
  // `samples` has read all chunks of samples.
  MarkerReader(ProcessProfile* profile, SegmentTables* tables, const MetadataReader* metadata,
               const SampleReader* samples, const CycleTimes* cycles)
      : profile_(*profile),
        tables_(*tables),
        sites_(metadata->sites()),
        samples_(*samples),
        stacks_(profile, tables, metadata),
        payloads_(tables, cycles),
        types_(profile),
        threads_(profile->threads) {}

  // Reads the pairs of the two clocks that the writers of a chunk left. False: the chunk is damaged.
  static bool ReadClocks(const SegmentView::ChunkCopy& chunk, CycleTimes& cycles);

  // False: the chunk is damaged. The markers before the fault were read.
  bool ReadChunk(const SegmentView::ChunkCopy& chunk);

  // The markers that were left out because they make no sense.
  uint64_t unreadable() const { return unreadable_; }
  // The intervals that ended before they began. They are there, with a length of 0.
  uint64_t backward() const { return backward_; }
  // The markers at or after the latest possible time (kLatestNs). They are there, at that time.
  uint64_t late() const { return late_; }
  // The stacks that markers name and that are missing. The sampler had no time for them, or they were recycled.
  uint64_t without_stack() const { return without_stack_; }
  // See PayloadReader::lost_fields.
  uint64_t lost_fields() const { return payloads_.lost_fields(); }

 private:
  bool ReadEntry(std::span<const uint8_t> entry);
  bool ReadTimedMarker(Leb128Reader& reader);
  bool ReadStack(Leb128Reader& reader, MarkerRow& marker);
  bool AddTo(int32_t tid, MarkerRow marker);
  // Row of a thread; a new one if there is none: it ended before the sampler saw it.
  size_t ThreadOf(int32_t tid, int64_t time_ns);

  ProcessProfile& profile_;
  SegmentTables& tables_;
  const MarkerSites& sites_;
  const SampleReader& samples_;
  StackReader stacks_;
  PayloadReader payloads_;
  ImpliedTypes types_;
  const ThreadsByTid threads_;
  IndexMap strangers_;  // by tid: rows made here
  int32_t writer_tid_ = 0;
  uint64_t unreadable_ = 0;
  uint64_t backward_ = 0;
  uint64_t late_ = 0;
  uint64_t without_stack_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_READER_H_
