#ifndef GECKOPROF_READER_MARKER_READER_H_
#define GECKOPROF_READER_MARKER_READER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "index_map.h"
#include "marker_sites.h"
#include "payload_reader.h"
#include "sample_reader.h"
#include "segment_tables.h"
#include "stack_reader.h"

namespace geckoprof {

// ThreadsByTid finds the thread that had a tid at a given time. The kernel uses tids again. Threads with one tid are
// assumed to have lived in the order of their rows. Lifetime: it keeps no reference. Threads: one. Context: allocates.
class ThreadsByTid {
 public:
  explicit ThreadsByTid(std::span<const ThreadRow> threads);

  // Returns the row of the first thread with this tid that had not ended by then. If all had ended, it is the last one.
  // kNone stands for no thread with this tid.
  int32_t At(int32_t tid, int64_t time_ns) const;

 private:
  struct Life {
    int32_t tid;
    int32_t row;
    int64_t until_ns;  // until which it or one before it with the same tid lived: never falls within a tid
  };
  std::vector<Life> lives_;  // by tid, then by row
};

// MarkerReader reads chunks of marker streams into the lists of their threads. A chunk may have had several writers one
// after the other, and each begins with an entry that has its tid. A marker that makes no sense is left out and
// counted. Lifetime: make it after the metadata was read, and before a thread is added. Threads: one. Context:
// allocates.
class MarkerReader {
 public:
  // REQUIRES: `samples` has read all chunks.
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

  // Reads only the pairs of the two clocks. Returns false if the chunk is damaged.
  static bool ReadClocks(const SegmentView::ChunkCopy& chunk, CycleTimes& cycles);

  // Returns false if the chunk is damaged. The markers before the fault are in the lists.
  bool ReadChunk(const SegmentView::ChunkCopy& chunk);

  // Counts the markers that were left out.
  uint64_t unreadable() const { return unreadable_; }
  // Counts the intervals that ended before they began. They are in the lists with no length.
  uint64_t backward() const { return backward_; }
  // Counts the markers at or after the latest time (kLatestNs). They are in the lists at that time.
  uint64_t late() const { return late_; }
  // Counts the stacks that markers name and that are missing. The sampler had no time for them, or they were recycled.
  uint64_t without_stack() const { return without_stack_; }
  // See PayloadReader::lost_fields.
  uint64_t lost_fields() const { return payloads_.lost_fields(); }

 private:
  MarkerRow& EmptyRow();
  bool ReadEntry(std::span<const uint8_t> entry);
  bool ReadTimedMarker(Leb128Reader& reader);
  bool ReadStack(Leb128Reader& reader, MarkerRow& marker);
  bool AddTo(int32_t tid, MarkerRow& marker);
  // Returns the row of a thread. A thread that ended before the sampler saw it gets a new row.
  size_t FindThread(int32_t tid, int64_t time_ns);

  ProcessProfile& profile_;
  SegmentTables& tables_;
  const MarkerSites& sites_;
  const SampleReader& samples_;
  StackReader stacks_;
  PayloadReader payloads_;
  ImpliedTypes types_;
  const ThreadsByTid threads_;
  IndexMap strangers_;  // by tid: rows made here
  MarkerRow row_;
  int32_t writer_tid_ = 0;
  uint64_t unreadable_ = 0;
  uint64_t backward_ = 0;
  uint64_t late_ = 0;
  uint64_t without_stack_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_READER_H_
