#ifndef GECKOPROF_READER_COUNTER_READER_H_
#define GECKOPROF_READER_COUNTER_READER_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "index_map.h"

namespace geckoprof {

// CounterReader makes the rows of counters from the values of changed counters in the segment. A counter without a
// value did not change. The first and the last of such ticks get a row, so that the graph falls to zero in between. A
// missing (recycled) chunk leaves one row with the sum of its changes, so the totals stay right.
//
// The caller passes definitions and ends in the order of the metadata, then each tick's values, and then calls Finish.
//
// Threads: one. Context: allocates.
class CounterReader {
 public:
  explicit CounterReader(ProcessProfile* profile) : profile_(*profile) {}

  // Reads the fields of kCounter and kCounterEnd. Returns false and changes nothing if they make no sense.
  bool ReadDefinition(Leb128Reader& reader);
  bool ReadEnd(Leb128Reader& reader);

  // Reads the fields of kCounterSample. `tick_number` counts ticks, with values or without.
  void ReadSamples(Leb128Reader& reader, int64_t tick_ns, uint64_t tick_number);

  // Must be called once, after the last chunk.
  void Finish();

  // Counts the values that were left out because they make no sense.
  uint64_t unreadable() const { return unreadable_; }
  // Counts the counters with a colour that the viewer does not have. Their colour is left out.
  uint64_t unknown_colors() const { return unknown_colors_; }

 private:
  struct State {
    uint64_t count, number;  // so far
    uint64_t last_tick = 0;  // number of the tick of its last row; 0: of none
    uint64_t final_count = 0, final_number = 0;
    int64_t period_ns = 0;  // the least time between two changes; 0: they may come at each tick
  };
  // Returns the time between two rows that follow each other.
  int64_t StepNs(const State& state) const;
  // Adds the rows of a run without changes that ends before `until_ns`. The run has at most `ticks` ticks.
  void AddIdleRows(CounterRow& counter, const State& state, uint64_t ticks, int64_t until_ns) const;
  void AddRow(CounterRow& counter, State& state, int64_t time_ns, uint64_t count, uint64_t number) const;

  // Joins the rows of a counter that was destroyed and created again with the same name and description.
  void JoinRemade();

  ProcessProfile& profile_;
  IndexMap by_id_;
  std::vector<State> states_;  // of each row of `counters`
  uint64_t unreadable_ = 0, unknown_colors_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_COUNTER_READER_H_
