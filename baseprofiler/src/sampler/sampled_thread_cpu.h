#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_CPU_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_CPU_H_

#include <algorithm>
#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/ids.h"

namespace geckoprof {

// What a thread's CPU clock said at a moment.
struct CpuAtTime {
  int64_t cpu_ns;  // negative: the thread has ended
  int64_t time_ns;
};

// SampledThreadCpu: how much of a thread's CPU time each of its rows is charged with. A row's CPU is that of the row's
// own time, whenever the sampler got to read it:
//
//   time ---- asked ---------- answered -------- collected ---->      the row's time: answered
//   cpu        known            in between        known               charged: the least that it can have been
//
// The least, since what was used later belongs to the next row, and that has no more time for it than has passed. No
// row is ever charged with more than the time since the row before; what two clocks that were not read at once disagree
// about goes to the next one. The first row of a thread that was there before is charged with nothing, since its clock
// tells of other times, too; that of one which began while we recorded, with what it used from its begin on. Threads:
// owned by the sampler. Context: not signal context.
class SampledThreadCpu {
 public:
  // Both clocks, read within a few microseconds if the sampler keeps its core at least once in a while. `read_ns`: when
  // the time was last read, and then when it was now: each reading is the one before the next.
  static CpuAtTime Read(ThreadId thread, int64_t& read_ns) { return Complete(thread, ThreadCpuNs(thread), read_ns); }
  // The same, where the thread's clock has been read already, after read_ns.
  static CpuAtTime Complete(ThreadId thread, int64_t cpu_ns, int64_t& read_ns) {
    constexpr int kTries = 4;  // the first one's reading of the time may be an old one
    constexpr int64_t kAtOnceNs = 5'000;
    for (int i = 1;; ++i) {
      const int64_t before_ns = read_ns;
      read_ns = MonotonicNs();
      if (read_ns - before_ns < kAtOnceNs || i == kTries) return {cpu_ns, read_ns};
      cpu_ns = ThreadCpuNs(thread);
    }
  }

  // What it had used when it answered a request that was sent when it had used `asked_cpu_ns`.
  static int64_t AtAnswer(int64_t asked_cpu_ns, const CpuAtTime& collected, int64_t answer_ns) {
    if (collected.cpu_ns < 0) return asked_cpu_ns;
    return std::max(asked_cpu_ns, collected.cpu_ns - std::max<int64_t>(collected.time_ns - answer_ns, 0));
  }

  // The thread began at `time_ns`, or a moment before. REQUIRES: no row yet.
  void BeginAt(int64_t time_ns) { charged_ = {0, time_ns}; }

  bool has_row() const { return has_row_; }

  // For a new row. Negative: unknown.
  int64_t Charge(const CpuAtTime& row) {
    has_row_ = true;
    if (charged_.cpu_ns < 0) {
      charged_ = row;
      return -1;
    }
    const int64_t passed_ns = std::max<int64_t>(row.time_ns - charged_.time_ns, 0);
    const int64_t used_ns = std::clamp<int64_t>(row.cpu_ns - charged_.cpu_ns, 0, passed_ns);
    charged_ = {charged_.cpu_ns + used_ns, charged_.time_ns + passed_ns};
    return used_ns;
  }

 private:
  CpuAtTime charged_ = {-1, 0};  // negative: nothing is known of its clock before
  bool has_row_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_CPU_H_
