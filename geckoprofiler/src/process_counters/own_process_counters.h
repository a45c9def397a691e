#ifndef GECKOPROF_GECKOPROFILER_PROCESS_COUNTERS_OWN_PROCESS_COUNTERS_H_
#define GECKOPROF_GECKOPROFILER_PROCESS_COUNTERS_OWN_PROCESS_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <optional>

#include "geckoprof/control/process_counters.h"
#include "geckoprof/control/process_meter.h"
#include "sampler/tick_sources.h"
#include "sampler/written_counter.h"

namespace geckoprof {

// OwnProcessCounters: what the kernel counts for this process, as counters of its profile. They are those of `geckoprof
// record` (kProcessCounters), and the same code reads them (ProcessMeter). If a recorder counts for the process, this
// source does nothing.
//
//   tick, 10 ms after the last look --> thread with descriptors of its own: ProcessMeter --> WrittenCounter
//
// Ticks are rare while nothing runs, and so are looks. A rate begins at the first look, and in a forked child at the
// fork.
//
// Threads: as TickSource says, and its own thread, which takes the lock of TickSources.
class OwnProcessCounters final : public TickSource {
 public:
  explicit OwnProcessCounters(TickSources* sources);

  void Begin(const Recording& recording) override;
  void Read(int64_t tick_ns) override {
    if (tick_ns < due_ns_.load(std::memory_order_relaxed)) return;
    due_ns_.store(INT64_MAX, std::memory_order_relaxed);
    thread_.Wake();
  }
  void End() override;
  void AfterForkInChild(bool held) override;

 private:
  // The viewer takes a rate for the mean of this time, if there was no look before.
  static constexpr int64_t kPeriodNs = 50'000'000;

  void Look();
  void Write(const ProcessUsage& usage);

  RecursiveLock& lock_;
  SourceThread& thread_;
  std::atomic<int64_t> due_ns_{INT64_MAX};  // of the next look; relaxed
  // Guarded by lock_.
  bool is_on_ = false;
  std::optional<ProcessMeter> meter_;
  std::optional<ProcessUsage> last_;  // that was written
  WrittenCounter counters_[kProcessCounterCount];
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_PROCESS_COUNTERS_OWN_PROCESS_COUNTERS_H_
