#include "sampler/thread_sampler.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler_recording.h"

namespace geckoprof {
namespace {

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
  size_t running = 0, with_frames = 0;
  for (const SampleRow& sample : row.samples) {
    cpu_ns += std::max<int64_t>(sample.cpu_delta_ns, 0);
    if (sample.state != SampleState::kRunning) continue;  // on a busy machine the thread waits at times
    ++running;
    with_frames += sample.stack > 0;
  }
  CHECK(cpu_ns > 10 * kMs);
  CHECK(cpu_ns <= took_ns);
  CHECK(with_frames + 1 >= running);
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

// With a long interval the process may die before the next tick.
TEST_CASE("an answer that comes late is taken before the next tick") {
  std::atomic<int32_t> tid{0};
  std::atomic<bool> end{false};
  std::thread late([&] {
    pthread_setname_np(pthread_self(), "late");
    const KernelSignalSet every = kEverySignal;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, nullptr, sizeof(every));
    tid = OwnTid().ToNumber();
    KernelSignalSet pending = 0;
    while (pending == 0) syscall(SYS_rt_sigpending, &pending, sizeof(pending));
    WorkFor(20 * kMs);  // the sampler has looked in vain by now
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &every, nullptr, sizeof(every));
    while (!end) WorkFor(kMs);
  });
  while (tid == 0) std::this_thread::yield();
  SamplerRecording recording(0, "late", kMaxIntervalNs);
  const SegmentHeader& header = recording.header();
  while (header.samples_asked.load() == 0) WorkFor(kMs);
  const int64_t tick_ns = header.heartbeat_ns.load();
  while (header.samples_taken.load() == 0 && header.heartbeat_ns.load() == tick_ns) WorkFor(kMs);
  CHECK(header.samples_taken.load() == 1);
  CHECK(header.heartbeat_ns.load() == tick_ns);
  recording.End(SamplerControl::kStop);
  end = true;
  late.join();
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, ThreadId::FromNumber(tid));
  REQUIRE_FALSE(row.samples.empty());
  CHECK(StackText(profile, row.samples[0].stack).find("(no stack") == std::string::npos);
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

// The sampler takes the kernel's ticks together, so a thread often ends before its last ticks are taken.
TEST_CASE("the last samples of a thread that ends are not lost") {
  SamplerRecording recording;
  const SegmentHeader& header = recording.header();
  struct Ended {
    ThreadId tid;
    int64_t last_part_ns;
  };
  std::vector<Ended> ended;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      recording.AwaitSamples(30);  // the main thread waits, so they are this thread's
      ended.push_back({OwnTid(), MonotonicNs()});
      const int64_t until_ns = CurrentThreadCpuNs() + 5 * kMs;
      while (CurrentThreadCpuNs() < until_ns) WorkFor(kMs / 10);
    }).join();
  }
  recording.End(SamplerControl::kStop);
  const bool has_ticks = header.samples_by_clock[static_cast<size_t>(SampleClock::kRequest)] < header.samples_taken / 2;
  if (!has_ticks) return;  // a sampler that gets no core asks too late
  const ProcessProfile profile = ReadBack(recording.segment());
  uint64_t lost = 0;
  for (const Ended& thread : ended) {
    int64_t last_ns = 0;
    for (const SampleRow& sample : RowOf(profile, thread.tid).samples) {
      if (sample.cpu_delta_ns > 0) last_ns = sample.time_ns;
    }
    lost += last_ns <= thread.last_part_ns;
  }
  CHECK(lost <= recording.segment().drops(DropReason::kNoBuffer));
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
  while (BlockedThreadReader().ReadPlace(file, place) != BlockedThreadReader::State::kBlocked)
    std::this_thread::yield();
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
      const timespec pause = {0, 50 * kMs};  // looks are 10 ms apart, and two are needed
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
    int32_t stack = 0;
    for (const SampleRow& sample : row.samples) {
      if (sample.time_ns <= time_ns) stack = sample.stack;
    }
    return stack;
  };
  for (const Wait& wait : waits) CHECK(stack_at(wait.end_ns - kMs) != stack_at(wait.begin_ns));
}

// The first look at a thread reads its stack at once.
TEST_CASE("a thread that has moved while its stack was read is not told of") {
  if (std::thread::hardware_concurrency() < 2) return;
  std::atomic<bool> end{false};
  std::thread restless([&] {
    const timespec pause = {0, 1000};
    while (!end) nanosleep(&pause, nullptr);
  });
  uint64_t moved = 0;
  for (int i = 0; i < 500 && moved == 0; ++i) {
    SamplerRecording recording;
    recording.AwaitTicks(2);
    recording.End(SamplerControl::kStop);
    moved = recording.segment().drops(DropReason::kMovedWhileRead);
  }
  end = true;
  restless.join();
  CHECK(moved > 0);
}

}  // namespace
}  // namespace geckoprof
