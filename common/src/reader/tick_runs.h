#ifndef GECKOPROF_READER_TICK_RUNS_H_
#define GECKOPROF_READER_TICK_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace geckoprof {

// TickRuns: when the ticks of a recording were, by their numbers, which count from 1.
//
//   | | | | | | | | |              | | | | | | |   |   |   |   |   |
//   first ..... last               first .. last   first ...... last
//        a run        no ticks: paused         another interval
//
// Not every tick's time is known, and one is missed now and then: within a run they are taken to be evenly apart, and
// never less than the interval. Invariant: runs follow one another without a gap in the numbers; times do not decrease.
// Threads: one.
class TickRuns {
 public:
  struct Run {
    uint64_t first, last;
    int64_t first_ns, last_ns;
    int64_t interval_ns;
  };
  // Of some of a run's ticks: how many, and when the last of them was.
  struct Part {
    uint64_t count = 0;  // 0: none
    int64_t last_ns = 0;
    int64_t apart_ns = 0;
  };

  // `count` more ticks, one every interval_ns (more than 0); the last at `time_ns`. Too late for that, they are a run
  // of their own.
  void Add(uint64_t count, int64_t time_ns, int64_t interval_ns);
  // The next tick begins a run.
  void End() { ended_ = true; }

  uint64_t last() const { return runs_.empty() ? 0 : runs_.back().last; }
  int64_t last_ns() const { return runs_.empty() ? 0 : runs_.back().last_ns; }
  bool is_open() const { return !runs_.empty() && !ended_; }

  const std::vector<Run>& runs() const { return runs_; }
  // The row of the run that has the first tick after `tick`; beyond the end: none has.
  size_t RunAfter(uint64_t tick) const;
  // The ticks of a run that are later than `after`, no later than `last`, and not after `until_ns`.
  Part Slice(size_t run, uint64_t after, uint64_t last, int64_t until_ns) const;

 private:
  static int64_t ApartNs(const Run& run);

  std::vector<Run> runs_;
  int64_t before_last_ns_ = 0;  // when the last tick but one was, if it is of the last run
  bool ended_ = true;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_TICK_RUNS_H_
