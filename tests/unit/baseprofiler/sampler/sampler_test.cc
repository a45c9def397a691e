#include "sampler/sampler.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "sampler_recording.h"

namespace geckoprof {

// No thread of this test has a slot.
__thread ThreadSlot* ThreadSlots::own_ = nullptr;

namespace {

// A program that unloads a library may want to unmount its file system; and descriptors are few.
TEST_CASE("no file of a library stays open between ticks") {
  const auto library_files = [] {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      count += std::filesystem::read_symlink(entry.path(), gone).string().find(".so") != std::string::npos;
    }
    return count;
  };
  SamplerRecording recording;
  bool ever_without = false;
  while (recording.header().samples_taken.load() < 100) ever_without = library_files() == 0 || ever_without;
  CHECK(ever_without);
  ever_without = false;
  for (int i = 0; i < 100 && !ever_without; ++i) ever_without = library_files() == 0;
  CHECK(ever_without);
}

TEST_CASE("ticks that the sampler could not keep are counted") {
  SamplerRecording recording;
  recording.AwaitTicks(1);
  const uint64_t missed = recording.segment().drops(DropReason::kMissedTick);
  const SamplerTask::Request sleep{[](void*) { SleepUntilNs(MonotonicNs() + 20 * kMs); }, nullptr};
  recording.control().boundary_task.Post(sleep);
  do recording.control().Wake();
  while (!recording.control().boundary_task.Wait(kMs));
  recording.AwaitTicks(2);
  // The next look was due after 10 ms at most.
  CHECK(recording.segment().drops(DropReason::kMissedTick) >= missed + 9);
}

TEST_CASE("paused, nothing is sampled") {
  SamplerRecording recording;
  recording.AwaitSamples(5);
  recording.Command(SamplerControl::kPause);
  recording.AwaitTicks(2);
  const uint64_t taken = recording.header().samples_taken.load();
  recording.AwaitTicks(20);
  CHECK(recording.header().samples_taken.load() == taken);
  recording.Command(SamplerControl::kRun);
  recording.AwaitSamples(5);
}

// A thread that sleeps until the end.
class Sleeper {
 public:
  Sleeper() {
    while (tid_.load() == 0) std::this_thread::yield();
  }
  ~Sleeper() {
    end_ = 1;
    FutexWake(end_, 1);
    thread_.join();
  }
  ThreadId tid() const { return ThreadId::FromNumber(tid_.load()); }

 private:
  std::atomic<int32_t> tid_{0};
  std::atomic<uint32_t> end_{0};
  std::thread thread_{[this] {
    tid_ = OwnTid().ToNumber();
    while (end_.load() == 0) FutexWait(end_, 0, 1'000'000'000);
  }};
};

// Of all rows that an output makes of the thread's, those between two times.
uint64_t RowsBetween(const ThreadRow& thread, int64_t from_ns, int64_t to_ns) {
  uint64_t rows = 0;
  for (const SampleRow& sample : thread.samples) {
    for (uint32_t back = 0; back < sample.idle_ticks; ++back) {
      const int64_t time_ns = sample.time_ns - int64_t{back} * sample.apart_ns;
      rows += time_ns > from_ns && time_ns < to_ns;
    }
  }
  return rows;
}

TEST_CASE("a thread that does not run has rows where the ticks were: before a pause and after it, and none inside") {
  const Sleeper sleeper;
  SamplerRecording recording;
  recording.AwaitTicks(2);
  recording.AwaitTicks(50);
  recording.Command(GENERATE(SamplerControl::kPause, SamplerControl::kPauseSampling));
  recording.AwaitTicks(2);
  const int64_t paused_ns = MonotonicNs();
  recording.AwaitTicks(60);
  const int64_t resumed_ns = MonotonicNs();
  recording.Command(SamplerControl::kRun);
  recording.AwaitTicks(50);
  int64_t ended_ns = 0;
  SECTION("which ends") {}
  SECTION("and one that is the end") {
    recording.Command(SamplerControl::kPause);
    recording.AwaitTicks(2);
    ended_ns = MonotonicNs();
    recording.AwaitTicks(60);
  }
  recording.End(SamplerControl::kStop);
  if (ended_ns == 0) ended_ns = MonotonicNs();
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, sleeper.tid());
  CHECK(RowsBetween(row, 0, paused_ns) >= 48);
  CHECK(RowsBetween(row, paused_ns, resumed_ns) == 0);
  CHECK(RowsBetween(row, resumed_ns, ended_ns) >= 48);
  CHECK(RowsBetween(row, resumed_ns, ended_ns) <= static_cast<uint64_t>((ended_ns - resumed_ns) / kNsPerMs + 2));
  CHECK(RowsBetween(row, ended_ns, INT64_MAX) == 0);
}

TEST_CASE("a thread that does not run has as many rows as there were ticks, at each interval") {
  const Sleeper sleeper;
  SamplerRecording recording;
  recording.AwaitTicks(30);
  const int64_t slower_ns = MonotonicNs();
  recording.ChangeInterval(5 * kMs);
  const int64_t slow_ns = MonotonicNs();
  recording.AwaitTicks(10);
  recording.ChangeInterval(kMs);
  const int64_t fast_ns = MonotonicNs();
  recording.AwaitTicks(30);
  recording.End(SamplerControl::kStop);
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, sleeper.tid());
  CHECK(RowsBetween(row, 0, slower_ns) >= 27);
  const uint64_t rows = RowsBetween(row, slow_ns, fast_ns);
  CHECK(rows >= 8);
  CHECK(rows <= static_cast<uint64_t>((fast_ns - slow_ns) / (5 * kMs) + 2));
  CHECK(RowsBetween(row, fast_ns, INT64_MAX) >= 27);
}

TEST_CASE("the CPU time that it has used is told at each tick, with that of the threads on which it ran before") {
  const int64_t begin_ns = MonotonicNs();
  SamplerRecording recording;
  const auto cpu_ns = [&recording] { return static_cast<int64_t>(recording.header().sampler_cpu_ns.load()); };
  recording.AwaitTicks(20);
  const int64_t at_first_ns = cpu_ns();
  recording.AwaitTicks(20);
  CHECK(cpu_ns() > at_first_ns);
  CHECK((at_first_ns > 20'000 && cpu_ns() < MonotonicNs() - begin_ns));
  recording.End(SamplerControl::kLeave);
  const int64_t before_ns = cpu_ns(), again_ns = MonotonicNs();
  recording.GoOn();
  recording.AwaitTicks(2);
  CHECK((cpu_ns() > before_ns && cpu_ns() < before_ns + MonotonicNs() - again_ns));
}

TEST_CASE("it leaves for a while when it is told to, and when the duration is over") {
  SamplerRecording recording;
  recording.AwaitTicks(2);
  CHECK(recording.End(SamplerControl::kLeave) == StopReason::kSingleThreadCall);
  SamplerRecording limited(20 * kMs);
  CHECK(limited.Join() == StopReason::kDuration);
}

TEST_CASE("threads that the filter leaves out have a row and no samples") {
  SamplerRecording recording(0, "no thread is called so");
  recording.AwaitTicks(20);
  recording.End(SamplerControl::kStop);
  const ProcessProfile profile = ReadBack(recording.segment());
  CHECK(RowOf(profile, OwnTid()).samples.empty());
  CHECK(recording.header().samples_asked.load() == 0);
}

}  // namespace
}  // namespace geckoprof
