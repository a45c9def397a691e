#ifndef GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_SAMPLER_H_

#include <cstdint>

#include "counters/counter_table.h"
#include "geckoprof/entries/counter_writer.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "recording/tick_source.h"

namespace geckoprof {

// CounterSampler: one recording's eye on the counters. Describes those that it has not met yet, writes the values of
// those that changed, and the last ones of those that were destroyed. A counter that was made before the recording
// begins with the value it has by then (in the child of a fork: by the fork); one that lived between two ticks is in
// the profile as any other. Threads: the sampler. Context: not signal context. No allocation, no lock.
class CounterSampler final : public TickSource {
 public:
  CounterSampler(CounterTable* table, const Segment* segment, MetadataWriter* metadata, SampleWriter* samples);

  void Read(int64_t now_ns) override;

 private:
  // False: it is of no recording, or there is no room for its metadata.
  bool Meet(CounterSlot& slot, int64_t now_ns);
  void WriteEnd(CounterSlot& slot);
  void CountRefused();

  CounterTable& table_;
  const Segment& segment_;
  const uint32_t serial_;
  const int64_t created_ns_;      // of the recording
  const int64_t constructor_ns_;  // of the process
  MetadataWriter& metadata_;
  CounterWriter writer_;
  uint32_t next_id_ = 1;
  uint64_t counted_refused_ = 0;  // as losses of the recording
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_SAMPLER_H_
