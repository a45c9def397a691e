// The times that the reader believes. A segment may say anything. The tables that are made from it hold only times of a
// clock that begins with the machine and ends long before int64_t does. The difference of two never overflows then.
#ifndef GECKOPROF_READER_RECORDED_TIMES_H_
#define GECKOPROF_READER_RECORDED_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {

inline constexpr int64_t kLatestNs = INT64_MAX / 2;  // 146 years; also a date until 2116

// The largest distance between two readings of the clock, one right after the other, on a busy machine.
inline constexpr int64_t kMaxApartNs = 60'000'000'000;

constexpr bool IsPlausibleTime(int64_t time_ns) { return time_ns >= 0 && time_ns <= kLatestNs; }

// Returns the nearest plausible time.
constexpr int64_t PlausibleTime(int64_t time_ns) {
  if (time_ns < 0) return 0;
  return time_ns < kLatestNs ? time_ns : kLatestNs;
}
constexpr int64_t PlausibleTime(uint64_t time_ns) {
  return time_ns < static_cast<uint64_t>(kLatestNs) ? static_cast<int64_t>(time_ns) : kLatestNs;
}

// CycleTimes converts the processor's counter to ns on CLOCK_MONOTONIC. It uses the pairs of both in the segment.
//
//   ns |            .x      between two pairs on a straight line, outside of them on the nearest one's
//      |      .x'
//      |  x'                a pair closer than kApartNs to the one before is left out: its line would be crooked
//      +--------------- cycles
//
// A pair that contradicts the pairs before it is left out. The file may be damaged, or the counter may have jumped.
// Threads: one.
class CycleTimes {
 public:
  void Add(const ClockPair& pair) { pairs_.push_back(pair); }
  // Must be called after the last Add.
  void Finish();

  // Returns true if there is a line.
  bool known() const { return pairs_.size() >= 2; }
  // REQUIRES: known().
  int64_t ToNs(uint64_t cycles) const;

 private:
  static constexpr int64_t kApartNs = 100'000'000;  // the error of a pair, 50 ns, is half a ppm of it
  std::vector<ClockPair> pairs_;
};

// TickRuns maps the numbers of a recording's ticks to times. The numbers count from 1.
//
//   | | | | | | | | |              | | | | | | |   |   |   |   |   |
//   first ..... last               first .. last   first ...... last
//        a run        no ticks: paused         another interval
//
// Some ticks have no known time, and some are missed. Ticks of a run are assumed to be evenly apart, by at least the
// interval.
//
// Invariants: the numbers of runs have no gaps, and times do not decrease. Threads: one.
class TickRuns {
 public:
  struct Run {
    uint64_t first, last;
    int64_t first_ns, last_ns;
    int64_t interval_ns;
  };
  // The number of ticks in a part of a run, and the time of its last tick.
  struct Part {
    uint64_t count = 0;  // 0: none
    int64_t last_ns = 0;
    int64_t apart_ns = 0;
  };

  // Adds `count` ticks, one every interval_ns (more than 0), with the last at `time_ns`. If they are too late to
  // continue the run, they begin a new one.
  void Add(uint64_t count, int64_t time_ns, int64_t interval_ns);
  // Ends the run. The next tick begins a new one.
  void End() { ended_ = true; }

  uint64_t last() const { return runs_.empty() ? 0 : runs_.back().last; }
  int64_t last_ns() const { return runs_.empty() ? 0 : runs_.back().last_ns; }
  bool is_open() const { return !runs_.empty() && !ended_; }

  const std::vector<Run>& runs() const { return runs_; }
  // Returns the row of the run with the first tick after `tick`. It is the number of runs if there is none.
  size_t RunAfter(uint64_t tick) const;
  // Returns the first tick at or after `time_ns`, or the last of all if there is none. REQUIRES: there are ticks.
  struct Tick {
    uint64_t number;
    int64_t time_ns;
  };
  Tick FirstSince(int64_t time_ns) const;
  // Returns whether the time lies between two runs, as in a pause.
  bool IsBetweenRuns(int64_t time_ns) const;
  // Returns the ticks of a run that are later than `after`, not later than `last`, and not after `until_ns`.
  Part Slice(size_t run, uint64_t after, uint64_t last, int64_t until_ns) const;

 private:
  static int64_t ApartNs(const Run& run);

  std::vector<Run> runs_;
  int64_t before_last_ns_ = 0;  // when the last tick but one was, if it is of the last run
  bool ended_ = true;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_RECORDED_TIMES_H_
