#include "counters/counter_sampler.h"

#include <algorithm>

namespace geckoprof {

static_assert(GECKOPROF_COUNTER_HAS_NUMBER == kCounterHasNumber && GECKOPROF_COUNTER_RATE == kCounterIsRate);

CounterSampler::CounterSampler(CounterTable* table, const Segment* segment, MetadataWriter* metadata,
                               SampleWriter* samples)
    : table_(*table),
      segment_(*segment),
      serial_(segment->serial()),
      created_ns_(segment->header().created_ns),
      constructor_ns_(segment->header().constructor_ns),
      metadata_(*metadata),
      writer_(samples) {}

void CounterSampler::Read(int64_t now_ns) {
  if (table_.IsEmpty()) return;
  CountRefused();
  // If the chunk ends during the first pass, a second pass writes all values into the next chunk.
  for (int tries = 0; tries < 2; ++tries) {
    writer_.Begin();
    table_.ForEach(
        [&](CounterSlot& slot) {
          if (!DescribeIfNew(slot, now_ns)) return;
          CounterWriter::Written written{slot.written_count, slot.written_number, slot.ever_written};
          const bool has_number = (slot.flags & GECKOPROF_COUNTER_HAS_NUMBER) != 0;
          writer_.Add(slot.id,
                      {__atomic_load_n(&slot.cell.count, __ATOMIC_RELAXED),
                       has_number ? __atomic_load_n(&slot.cell.number, __ATOMIC_RELAXED) : 0, has_number},
                      written);
          slot.written_count = written.count;
          slot.written_number = written.number;
          slot.ever_written = written.ever;
        },
        [&](CounterSlot& slot) { WriteEnd(slot); });
    if (writer_.End()) return;
  }
}

bool CounterSampler::DescribeIfNew(CounterSlot& slot, int64_t now_ns) {
  if (slot.seen_serial == serial_ && slot.seen_generation == slot.generation) return slot.id != 0;
  slot.seen_serial = serial_;
  slot.seen_generation = slot.generation;
  slot.ever_written = false;
  if (slot.is_cut) segment_.CountDrop(DropReason::kTextCut);
  CounterDefinition definition;
  definition.id = next_id_++;
  definition.flags = slot.flags & (kCounterHasNumber | kCounterIsRate);
  // The first value of an older counter is its value now. A younger counter has counted from its creation.
  const bool is_older = slot.since_ns < created_ns_ && !slot.is_forked;
  slot.is_forked = false;
  const bool has_number = (slot.flags & GECKOPROF_COUNTER_HAS_NUMBER) != 0;
  if (!has_number) definition.number = slot.period_ns;
  definition.since_ns = is_older ? now_ns : std::max(slot.since_ns, constructor_ns_);
  definition.count = is_older ? __atomic_load_n(&slot.cell.count, __ATOMIC_RELAXED) : slot.since_count;
  if (has_number) {
    definition.number = is_older ? __atomic_load_n(&slot.cell.number, __ATOMIC_RELAXED) : slot.since_number;
  }
  definition.name = slot.name;
  definition.category = slot.category;
  definition.description = slot.description;
  definition.unit = slot.unit;
  definition.color = slot.color;
  slot.written_count = definition.count;
  slot.written_number = definition.number;
  slot.id = metadata_.Counter(definition) ? definition.id : 0;
  return slot.id != 0;
}

// Writes the final values. The slot may belong to another counter from now on.
void CounterSampler::WriteEnd(CounterSlot& slot) {
  if (slot.ended_ns < created_ns_ || !DescribeIfNew(slot, slot.ended_ns)) return;
  const bool has_number = (slot.flags & GECKOPROF_COUNTER_HAS_NUMBER) != 0;
  metadata_.CounterEnd(slot.id, slot.ended_ns, slot.final_count, has_number ? slot.final_number : 0);
}

void CounterSampler::CountRefused() {
  const uint64_t refused = table_.refused();
  if (refused == counted_refused_) return;
  segment_.CountDrop(DropReason::kCounter, refused - counted_refused_);
  counted_refused_ = refused;
}

}  // namespace geckoprof
