#include "sampler/sampler.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/futex.h"
#include "sampler/blocked_thread_reader.h"
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
  const int64_t until_ns = MonotonicNs() + 200'000'000;
  bool ever_without = false;
  while (MonotonicNs() < until_ns) ever_without = library_files() == 0 || ever_without;
  REQUIRE(recording.header().samples_taken.load() > 0);
  CHECK(ever_without);
  ever_without = false;
  for (int i = 0; i < 100 && !ever_without; ++i) ever_without = library_files() == 0;
  CHECK(ever_without);
}

TEST_CASE("a busy thread is sampled, with stacks and its CPU time") {
  const int64_t start_ns = MonotonicNs();
  SamplerRecording recording;
  recording.AwaitSamples(100);
  CHECK(recording.End(SamplerControl::kStop) == StopReason::kAsked);
  const int64_t took_ns = MonotonicNs() - start_ns;
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, OwnTid());
  CHECK(row.is_main);
  CHECK(row.samples.size() >= 100);
  int64_t cpu_ns = 0;
  size_t with_frames = 0;
  for (const SampleRow& sample : row.samples) {
    cpu_ns += std::max<int64_t>(sample.cpu_delta_ns, 0);
    with_frames += sample.stack > 0;
  }
  CHECK(cpu_ns > 10 * kMs);
  CHECK(cpu_ns <= took_ns);
  CHECK(with_frames + 1 >= row.samples.size());
  CHECK(recording.header().samples_taken.load() <= recording.header().samples_asked.load());
  CHECK(recording.header().heartbeat_ns.load() > 0);
}

// Keeps the calling thread, and those that it makes, on the first of its cores.
class OnOneCore {
 public:
  OnOneCore() {
    REQUIRE(sched_getaffinity(0, sizeof(before_), &before_) == 0);
    int core = 0;
    while (!CPU_ISSET(core, &before_)) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
  }
  void End() { sched_setaffinity(0, sizeof(before_), &before_); }
  ~OnOneCore() { End(); }

 private:
  cpu_set_t before_;
};

TEST_CASE("a thread that shares its core with the sampler is sampled as often: late answers take no tick away") {
  OnOneCore on_one_core;
  SamplerRecording recording;
  timespec cpu_time;
  do {
    WorkFor(kMs);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_time);
  } while (recording.header().samples_asked.load() < 200);
  timespec end_time;
  const uint64_t asked = recording.header().samples_asked.load();
  for (int64_t used_ns = 0; used_ns < 200 * kMs;) {
    WorkFor(kMs);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end_time);
    used_ns = (end_time.tv_sec - cpu_time.tv_sec) * 1'000'000'000 + end_time.tv_nsec - cpu_time.tv_nsec;
  }
  const uint64_t asked_in_200_ms = recording.header().samples_asked.load() - asked;
  const uint64_t missed = recording.segment().drops(DropReason::kMissedTick);
  recording.End(SamplerControl::kStop);
  on_one_core.End();
  CHECK(asked_in_200_ms + missed >= 150);  // 200; half of them if a late answer counted for two ticks
}

// More threads than cores, and the sampler among them: ticks last long, and answers come late.
TEST_CASE("no row has more CPU time than has passed since the row before") {
  OnOneCore on_one_core;
  SamplerRecording recording;
  std::atomic<bool> is_enough{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&] {
      while (!is_enough) {
        WorkFor(300'000);
        const timespec pause = {0, 200'000};
        nanosleep(&pause, nullptr);
      }
    });
  }
  recording.AwaitSamples(400);
  is_enough = true;
  for (std::thread& thread : threads) thread.join();
  recording.End(SamplerControl::kStop);
  on_one_core.End();
  size_t rows = 0, impossible = 0;
  for (const ThreadRow& thread : ReadBack(recording.segment()).threads) {
    for (size_t i = 1; i < thread.samples.size(); ++i, ++rows) {
      const SampleRow& row = thread.samples[i];
      impossible += row.cpu_delta_ns > row.time_ns - thread.samples[i - 1].time_ns;
    }
  }
  CHECK(rows > 100);
  CHECK(impossible == 0);
}

// A signal would have the kernel begin the fork anew, of a large process again and again.
TEST_CASE("a thread that forks is asked for nothing meanwhile") {
  SamplerRecording recording;
  recording.AwaitSamples(5);
  recording.control().busy_forking_tid.store(OwnTid().ToNumber());
  recording.AwaitTicks(2);
  const uint64_t asked = recording.header().samples_asked.load();
  recording.AwaitTicks(20);
  CHECK(recording.header().samples_asked.load() == asked);
  recording.control().busy_forking_tid.store(0);
  recording.AwaitSamples(5);
}

// How often it left its core to wait: once more for each signal that it was woken for.
uint64_t WaitsOf(ThreadId tid) {
  std::ifstream status("/proc/self/task/" + std::to_string(tid.ToNumber()) + "/status");
  std::string word;
  while (status >> word && word != "voluntary_ctxt_switches:") {
  }
  uint64_t count = 0;
  REQUIRE(status >> count);
  return count;
}

TEST_CASE("a thread that sleeps gets no signal, and its stack is read once") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::atomic<int32_t> number{0};
  std::thread sleeper([&] {
    number = OwnTid().ToNumber();
    char byte = 0;
    while (read(ends[0], &byte, 1) < 0) {
    }
  });
  while (number == 0) std::this_thread::yield();
  const ThreadId tid = ThreadId::FromNumber(number);
  const Fd file = BlockedThreadReader::Open(tid);
  BlockedThreadReader::Place place;
  while (BlockedThreadReader().Look(file, place) != BlockedThreadReader::State::kBlocked) std::this_thread::yield();
  const uint64_t waits = WaitsOf(tid);
  SamplerRecording recording;
  recording.AwaitTicks(20);
  CHECK(WaitsOf(tid) == waits);
  REQUIRE(write(ends[1], "x", 1) == 1);
  sleeper.join();
  recording.End(SamplerControl::kStop);
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, tid);
  REQUIRE_FALSE(row.samples.empty());
  CHECK(row.samples.front().stack > 0);
  for (const int end : ends) close(end);
}

TEST_CASE("a thread that waits right after it was sampled is shown where it waits") {
  struct Wait {
    int64_t begin_ns, end_ns;
  };
  std::vector<Wait> waits;
  SamplerRecording recording;
  std::atomic<int32_t> number{0};
  std::thread worker([&] {
    number = OwnTid().ToNumber();
    const auto taken = [&] { return recording.header().samples_taken.load(); };
    for (int i = 0; i < 10; ++i) {
      WorkFor(3 * kMs);
      for (const uint64_t before = taken(); taken() == before;) {
      }
      const timespec pause = {0, 20 * kMs};
      const int64_t begin_ns = MonotonicNs();
      nanosleep(&pause, nullptr);
      waits.push_back({begin_ns, MonotonicNs()});
    }
  });
  worker.join();
  recording.End(SamplerControl::kStop);
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, ThreadId::FromNumber(number));
  // The stack of the last row up to a time.
  const auto stack_at = [&](int64_t time_ns) {
    const auto above =
        std::upper_bound(row.samples.begin(), row.samples.end(), time_ns,
                         [](int64_t wanted, const SampleRow& sample) { return wanted < sample.time_ns; });
    return above == row.samples.begin() ? 0 : std::prev(above)->stack;
  };
  for (const Wait& wait : waits) CHECK(stack_at(wait.end_ns - kMs) != stack_at(wait.begin_ns));
}

TEST_CASE("a thread that has moved while its stack was read is not told of") {
  if (std::thread::hardware_concurrency() < 2) return;
  std::atomic<bool> end{false};
  std::thread restless([&] {
    const timespec pause = {0, 1000};
    while (!end) nanosleep(&pause, nullptr);
  });
  SamplerRecording recording;
  for (int i = 0; i < 500 && recording.segment().drops(DropReason::kMovedWhileRead) == 0; ++i) recording.AwaitTicks(10);
  end = true;
  restless.join();
  recording.End(SamplerControl::kStop);
  CHECK(recording.segment().drops(DropReason::kMovedWhileRead) > 0);
}

TEST_CASE("ticks that the sampler could not keep are counted") {
  SamplerRecording recording;
  recording.AwaitTicks(1);
  const uint64_t missed = recording.segment().drops(DropReason::kMissedTick);
  const TickBoundary::Request sleep{[](void*) { SleepUntilNs(MonotonicNs() + 20 * kMs); }, nullptr};
  recording.control().boundary.Post(sleep);
  do recording.control().Nudge();
  while (!recording.control().boundary.Wait(kMs));
  recording.AwaitTicks(2);
  CHECK(recording.segment().drops(DropReason::kMissedTick) >= missed + 18);
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

TEST_CASE("it leaves for a while when it is told to, and when the duration is over") {
  SamplerRecording recording;
  recording.AwaitTicks(2);
  CHECK(recording.End(SamplerControl::kLeave) == StopReason::kSingleThreadCall);
  SamplerRecording limited(20 * kMs);
  WorkFor(60 * kMs);
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
