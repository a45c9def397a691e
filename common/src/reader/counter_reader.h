#ifndef GECKOPROF_READER_COUNTER_READER_H_
#define GECKOPROF_READER_COUNTER_READER_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "index_map.h"

namespace geckoprof {

// CounterReader: makes the rows of counters from what the segment says of those that changed. A counter that is not
// spoken of did not change: of the ticks meanwhile the first and the last get a row, so that its graph falls to nothing
// in between. A chunk that is missing (recycled) leaves one row with all that was added in it: sums stay right.
//
// Order of calls: definitions and ends as the metadata has them, then each tick's values, then Finish.
// Threads: one. Context: allocates.
class CounterReader {
 public:
  explicit CounterReader(ProcessProfile* profile) : profile_(*profile) {}

  // The fields of kCounter and kCounterEnd. False: they make no sense, and nothing was taken.
  bool ReadDefinition(Leb128Reader& reader);
  bool ReadEnd(Leb128Reader& reader);

  // Those of kCounterSample. `tick_number` counts ticks, with values or without.
  void ReadSamples(Leb128Reader& reader, int64_t tick_ns, uint64_t tick_number);

  // Call once, after the last chunk.
  void Finish();

  // Values left out because they make no sense.
  uint64_t unreadable() const { return unreadable_; }
  // Counters whose colour the viewer does not have: theirs is left out.
  uint64_t unknown_colors() const { return unknown_colors_; }

 private:
  struct State {
    uint64_t count, number;  // so far
    uint64_t last_tick = 0;  // number of the tick of its last row; 0: of none
    uint64_t final_count = 0, final_number = 0;
  };
  // The rows of a run without changes that ends before `until_ns`; at most `ticks`.
  void AddIdleRows(CounterRow& counter, uint64_t ticks, int64_t until_ns) const;
  void AddRow(CounterRow& counter, State& state, int64_t time_ns, uint64_t count, uint64_t number) const;

  // A counter that was destroyed, and made anew with the same name and all else that is shown of it, is one row.
  void JoinRemade();

  ProcessProfile& profile_;
  IndexMap by_id_;
  std::vector<State> states_;  // of each row of `counters`
  uint64_t unreadable_ = 0, unknown_colors_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_COUNTER_READER_H_
