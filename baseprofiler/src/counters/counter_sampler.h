#ifndef GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_SAMPLER_H_

#include <cstdint>

#include "counters/counter_table.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "recording/sampler_control.h"

namespace geckoprof {

// CounterSampler: reads the counters for one recording. It describes each counter at its first tick, writes changed
// values, and writes the final values of destroyed counters.
//
// A counter that is older than the recording begins with its value at the first tick. In a forked child it begins with
// its value at the fork. A counter that lives between two ticks is in the profile like any other.
//
// Threads: the sampler.
// Context: not signal context. It takes no lock and allocates nothing.
class CounterSampler final : public TickSource {
 public:
  CounterSampler(CounterTable* table, const Segment* segment, MetadataWriter* metadata, SampleWriter* samples);

  void Read(int64_t now_ns) override;
  bool IsEachTickDue() const override { return table_.IsEachTickDue(); }

 private:
  // Describes the counter if it is new to this recording. Returns false if its metadata had no room.
  bool DescribeIfNew(CounterSlot& slot, int64_t now_ns);
  void WriteEnd(CounterSlot& slot);
  void CountRefused();

  CounterTable& table_;
  const Segment& segment_;
  const uint32_t serial_;
  const int64_t created_ns_;      // begin of the recording
  const int64_t constructor_ns_;  // begin of the process
  MetadataWriter& metadata_;
  CounterWriter writer_;
  uint32_t next_id_ = 1;
  uint64_t counted_refused_ = 0;  // already counted as losses of the recording
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_COUNTERS_COUNTER_SAMPLER_H_
