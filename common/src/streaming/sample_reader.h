#ifndef GECKOPROF_STREAMING_SAMPLE_READER_H_
#define GECKOPROF_STREAMING_SAMPLE_READER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "geckoprof/streaming/process_profile.h"
#include "metadata_reader.h"
#include "segment_tables.h"

namespace geckoprof {

// SampleReader: takes in the sampler's chunks in the order of their block indices, and gives each thread its samples. A
// tick at which a thread has none means that it did not run: such ticks become one row that stands for them all, with
// the stack of the sample before. A chunk that is missing (recycled) is a gap: nothing is made up for it. Threads: one.
// Context: allocates.
class SampleReader {
 public:
  SampleReader(ProcessProfile* profile, SegmentTables* tables, const MetadataReader* metadata)
      : profile_(*profile), tables_(*tables), metadata_(*metadata) {}

  // False: the chunk is damaged; what came before the fault was taken.
  bool ReadChunk(const SegmentView::ChunkCopy& chunk);

  // Ends the idle runs that are still open. Call once, after the last chunk.
  void Finish();

 private:
  struct Node {
    int32_t stack;
    uint64_t address;
  };
  struct ThreadState {
    uint64_t last_tick = 0;  // number of the tick that its last sample belongs to
    bool any = false;
  };

  bool ReadEntry(std::span<const uint8_t> entry);
  bool ReadTick(Leb128Reader& reader);
  bool ReadStack(Leb128Reader& reader);
  bool ReadFrame(Leb128Reader& reader, Node& node);
  bool ReadSample(Leb128Reader& reader);
  void AddIdleTicks(size_t thread, uint64_t ticks, int64_t last_tick_ns);
  int32_t LibraryAt(uint64_t address) const;

  ProcessProfile& profile_;
  SegmentTables& tables_;
  const MetadataReader& metadata_;
  std::vector<Node> nodes_;  // of the current chunk; node 0 is the root
  std::vector<ThreadState> threads_;
  int64_t tick_ns_ = 0;
  int64_t previous_tick_ns_ = 0;  // the last tick before it, with samples or without
  uint64_t tick_number_ = 0;      // of all ticks so far, those without samples included
  int64_t chunk_begin_ns_ = 0, chunk_last_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_SAMPLE_READER_H_
