#ifndef GECKOPROF_READER_THREAD_SAMPLES_H_
#define GECKOPROF_READER_THREAD_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "segment_tables.h"

namespace geckoprof {

// GapMarkers makes the markers of gaps, and knows the pauses of the recording.
//
// Lifetime: a view of the profile and its tables. The pauses must be complete. Threads: one. Context: allocates.
class GapMarkers {
 public:
  GapMarkers(ProcessProfile* profile, SegmentTables* tables);

  MarkerRow Make(int64_t begin_ns, int64_t end_ns, int64_t cpu_ns);
  bool IsPausedBetween(int64_t from_ns, int64_t to_ns) const;
  // Returns whether the innermost frame of a stack says why there is no stack.
  bool IsReason(int32_t stack) const;
  // No gap is shorter, because no interval of the recording is shorter than a fifth of it.
  int64_t shortest_gap_ns() const { return shortest_gap_ns_; }
  const ProcessProfile& profile() const { return profile_; }

 private:
  struct Pause {
    int64_t start_ns;
    int64_t end_ns;  // the latest end of this pause and those before it
  };
  ProcessProfile& profile_;
  SegmentTables& tables_;
  int64_t shortest_gap_ns_;
  std::vector<Pause> pauses_;    // in order of their starts
  int32_t marker_type_ = kNone;  // added with the first gap
};

// ThreadSamples receives the rows of one thread in order of time, and shows its gaps. A gap is a time in which the
// thread ran and had no samples for more than five intervals. It becomes a row without a stack, and a marker. The
// sample at its end keeps the CPU time that a row usually stands for. All sums stay as they were.
//
//   row before                                                 sample
//       |--- waited ---|--- ready ---|--------- CPU time ---------|     as it is received
//       |--- waited ---|--- ready ---|------- gap -------|- usual-|     as it is shown
//                                                        row without a stack
//
// *What is usual.* A recording may be coarser than its interval. The kernel's timers tick at most HZ times a second,
// and a sampler of many threads looks at each of them less often. The source of samples may also change while a thread
// lives. In all these cases a sample is a fair one if it has about as much CPU time as its neighbours. The usual CPU
// time is therefore the median of the nearest samples of the thread, or the interval at that time if it is longer. A
// few samples do not show what is usual. The longest tick of a kernel is then the least value.
//
// *What is no gap.*
// - The first row of a thread, and a row after a pause. Their CPU time may be from a time without sampling.
// - A row that says why it has no stack.
// - Waiting. It uses no CPU time. A row after waits may have CPU time from before them. Each wait therefore raises the
//   limit by five intervals.
//
// A row that may have a gap is held back, with those after it, until its neighbours are known.
//
// Lifetime: a view of the thread's row. Threads: one. Context: allocates.
class ThreadSamples {
 public:
  ThreadSamples(GapMarkers* markers, ThreadRow* thread) : markers_(*markers), thread_(*thread) {}

  bool empty() const { return thread_.samples.empty(); }
  // The last row that was received. REQUIRES: not empty.
  const SampleRow& back() const { return held_.empty() ? thread_.samples.back() : held_.back().row; }

  void push_back(const SampleRow& row);
  // Must be called after the last row.
  void Finish();

 private:
  struct Held {
    SampleRow row;
    int64_t limit_ns;  // it has a gap if less is usual; 0: it has none
    int64_t run_ns;    // the thread ran for so long at the end of the row's time
    uint64_t place;    // the number of samples before it
  };

  int64_t GapLimitNs(const SampleRow& row, int64_t run_ns) const;
  void Release();
  void AddFirst(const Held& held);
  int64_t UsualNs(const Held& held) const;

  GapMarkers& markers_;
  ThreadRow& thread_;
  std::vector<Held> held_;  // the first one may have a gap
  // These members are about all rows so far, the held ones included.
  uint64_t samples_ = 0;         // with CPU time
  std::vector<int64_t> cpu_ns_;  // of the last samples, as a ring by their numbers
  bool has_recorded_ = false;
  int64_t recorded_ns_ = 0;  // the time of the last row that was recorded
  int64_t waits_ = 0;        // recorded since the thread was last seen running
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_THREAD_SAMPLES_H_
