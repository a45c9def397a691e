// A sampler that records the test's own process.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_SAMPLER_RECORDING_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_SAMPLER_RECORDING_H_

#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <thread>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "process/process_control.h"
#include "sampler/sampler.h"
#include "signal/sampling_signal.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"
#include "tests/unit/baseprofiler/await_ticks.h"

namespace geckoprof {

inline constexpr int64_t kMs = 1'000'000;

inline ThreadId OwnTid() { return ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))); }

// A sampler of this process on a thread of its own, as ProfilerCore runs it.
class SamplerRecording {
 public:
  explicit SamplerRecording(int64_t duration_ns = 0, const char* filter = nullptr, int64_t interval_ns = kMs)
      : interval_ns_(interval_ns) {
    if (filter != nullptr) REQUIRE(filter_.Add(filter) == FilterAddResult::kAdded);
    SamplingSignal::Install(&control_);
    ForkSafeState().store(1);
    thread_ = std::thread([this, duration_ns] {
      sampler_ = std::make_unique<Sampler>(MakeSetting(duration_ns));
      reason_ = sampler_->Run();
    });
  }
  ~SamplerRecording() { End(SamplerControl::kStop); }

  void Command(SamplerControl::Command command) { control_.Issue(command); }
  // Changes the interval at a tick boundary, as ProfilerCore does.
  void ChangeInterval(int64_t interval_ns) {
    struct Call {
      SamplerRecording* recording;
      int64_t interval_ns;
    } call{this, interval_ns};
    const SamplerTask::Request request{[](void* argument) {
                                         auto* const asked = static_cast<Call*>(argument);
                                         SamplerRecording& self = *asked->recording;
                                         SamplerSetting setting = self.MakeSetting(0);
                                         setting.interval_ns = asked->interval_ns;
                                         self.segment_.segment().header().interval_ns = asked->interval_ns;
                                         self.sampler_->Change(setting, /*restarts_duration=*/true);
                                       },
                                       &call};
    control_.boundary_task.Post(request);
    do control_.Wake();
    while (!control_.boundary_task.Wait(kMs));
  }
  StopReason End(SamplerControl::Command command) {
    if (!thread_.joinable()) return reason_;
    Command(command);
    return Join();
  }
  // After it has left: on another thread.
  void GoOn() {
    Command(SamplerControl::kRun);
    ForkSafeState().store(1);
    thread_ = std::thread([this] { reason_ = sampler_->Run(); });
  }
  StopReason Join() {
    thread_.join();
    ForkSafeState().store(0);
    return reason_;
  }
  TestSegment& segment() { return segment_; }
  SamplerControl& control() { return control_; }
  const SegmentHeader& header() { return segment_.segment().header(); }

  void AwaitTicks(int count) { geckoprof::AwaitTicks(header(), count); }
  void AwaitSamples(uint64_t count) {
    const uint64_t until = header().samples_taken.load() + count;
    while (header().samples_taken.load() < until) WorkFor(kMs / 10);
  }

 private:
  SamplerSetting MakeSetting(int64_t duration_ns) {
    SamplerSetting setting = {};
    setting.segment = &segment_.segment();
    setting.table = &TheCaptureTable();
    setting.control = &control_;
    setting.threads.pid = ProcessId::FromNumber(getpid());
    setting.threads.filter = &filter_;
    setting.threads.registry = registry_.get();
    setting.interval_ns = interval_ns_;
    setting.duration_ns = duration_ns;
    setting.any_stacks = setting.native_stacks = setting.cpu = true;
    return setting;
  }

  const int64_t interval_ns_;
  TestSegment segment_{uint64_t{16} << 20, 4};
  ThreadFilter filter_;
  std::unique_ptr<ThreadRegistry> registry_ = std::make_unique<ThreadRegistry>();
  SamplerControl control_{};
  std::unique_ptr<Sampler> sampler_;
  StopReason reason_ = StopReason::kNotStopped;
  std::thread thread_;  // last: it uses the others
};

inline const ThreadRow& RowOf(const ProcessProfile& profile, ThreadId tid) {
  for (const ThreadRow& row : profile.threads) {
    if (row.tid == tid.ToNumber()) return row;
  }
  FAIL("no row of thread " << tid.ToNumber());
  return profile.threads.front();
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_SAMPLER_RECORDING_H_
