#ifndef GECKOPROF_BASEPROFILER_SAMPLER_RUN_DELAY_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_RUN_DELAY_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"

namespace geckoprof {

// RunDelay is what the scheduler has counted for one thread since the thread's begin.
struct RunDelay {
  int64_t ran_ns = 0;
  int64_t ready_ns = 0;  // the thread could run and waited for a core
  int64_t slices = 0;    // how often it got a core

  // Reads a line of schedstat (proc(5)). Returns false if the line has another form.
  static bool Parse(std::string_view line, RunDelay& out);
};

// Schedstat reads /proc/self/task/TID/schedstat. A reading takes about a microsecond if the file is open.
//
// A kernel without CONFIG_SCHED_INFO has no such file. A kernel that is told not to count has only zeros in it, also
// for a thread that ran.
//
// Threads: the sampler's thread.
// Context: not signal context.
class Schedstat {
 public:
  // Looks whether the kernel has such a file for the calling thread.
  Schedstat();

  static Fd Open(ThreadId tid);

  // Returns false if the thread has ended, or if the kernel does not count. `has_run` says that the thread has used CPU
  // time.
  bool Read(const Fd& file, bool has_run, RunDelay& out);
  // Returns false once it is known that the kernel does not count. A reading is then a waste of time.
  bool is_counted() const { return is_counted_; }

 private:
  bool is_counted_;
};

// ReadyTime assigns the time that a thread waited for a core to its rows. The scheduler's count is read when a row is
// written, which may be later than the row. A row has at most the time since the row before that the thread did not
// run. The rest goes to the next row.
//
// Threads: owned by the sampler.
class ReadyTime {
 public:
  // Sets the begin of a thread that began during the recording. REQUIRES: no row yet.
  void BeginAt(int64_t time_ns) {
    charged_ns_ = 0;
    row_ns_ = time_ns;
  }

  // Returns the time to charge to a row at `row_ns`, with `used_ns` of CPU time. `total_ns` is the scheduler's count.
  // The first row of an older thread has none.
  int64_t Charge(int64_t total_ns, int64_t row_ns, int64_t used_ns) {
    const int64_t passed_ns = std::max<int64_t>(row_ns - row_ns_, 0);
    const int64_t most_ns = std::max<int64_t>(passed_ns - std::max<int64_t>(used_ns, 0), 0);
    const bool is_first = charged_ns_ < 0;
    const int64_t ready_ns = is_first ? 0 : std::clamp<int64_t>(total_ns - charged_ns_, 0, most_ns);
    charged_ns_ = is_first ? total_ns : charged_ns_ + ready_ns;
    row_ns_ += is_first ? row_ns - row_ns_ : passed_ns;
    return ready_ns;
  }

 private:
  int64_t charged_ns_ = -1;  // negative: the thread has no row
  int64_t row_ns_ = 0;       // the time of its last row
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_RUN_DELAY_H_
