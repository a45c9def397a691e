#include "tools/record/process_counters.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment_format.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tools/record/counter_file.h"
#include "tools/record/session_counters.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kLimitBytes = 128 << 20;

void CopySegment(TestSegment& test, const TemporaryFolder& folder, pid_t pid) {
  std::filesystem::copy_file(test.path(), Concat(folder.path(), "/", pid, "-0.segment"));
}

uint64_t StartTicks(pid_t pid) { return ReadProcessUsage(pid)->start_ticks; }

// Returns a process that was there from a time on, with its counters.
ProcessProfile Read(const TemporaryFolder& folder, pid_t pid, uint64_t start_ticks, int64_t start_ns) {
  ProcessProfile process;
  process.pid = pid;
  process.process_start_ticks = start_ticks;
  process.start_ns = start_ns;
  process.end_ns = MonotonicNs();
  SessionCounters::Read(folder.path()).processes.AddTo(process);
  return process;
}

const CounterRow* Find(const ProcessProfile& process, std::string_view name) {
  const auto found = std::ranges::find(process.counters, name, &CounterRow::name);
  return found != process.counters.end() ? &*found : nullptr;
}
int64_t Sum(const CounterRow& counter) {
  int64_t sum = 0;
  for (const CounterSample& sample : counter.samples) sum += sample.count;
  return sum;
}

// A child that works, sleeps and works again, and holds memory from the sleep on.
class Worker {
 public:
  static constexpr int64_t kWorkNs = 60 * kNsPerMs, kSleepNs = 100 * kNsPerMs;
  static constexpr size_t kBytes = 16 << 20;

  Worker() : pid_(fork()) {
    if (pid_ != 0) return;
    Work();
    SleepUntilNs(MonotonicNs() + kSleepNs);
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) _exit(1);
    Work();
    pause();
    _exit(0);
  }
  ~Worker() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  pid_t pid() const { return pid_; }

 private:
  static void Work() {
    const int64_t begin_ns = CurrentThreadCpuNs();
    while (CurrentThreadCpuNs() - begin_ns < kWorkNs) {
    }
  }

  const pid_t pid_;
};

TEST_CASE("a process has what the kernel counted for it, at the times at which it changed") {
  const TemporaryFolder folder;
  TestSegment test;
  const int64_t start_ns = MonotonicNs();
  const Worker worker;
  CopySegment(test, folder, worker.pid());
  CounterFile file(folder.path(), kLimitBytes);
  ProcessCounters counters(folder.path(), file);
  while (*ReadProcessCpuNs(worker.pid()) < 2 * Worker::kWorkNs) {
    CHECK(counters.Look() >= 10 * kNsPerMs);
    SleepUntilNs(MonotonicNs() + 5 * kNsPerMs);
  }
  counters.Look();
  const ProcessProfile process = Read(folder, worker.pid(), StartTicks(worker.pid()), start_ns);

  const CounterRow* const cpu = Find(process, "CPU");
  REQUIRE(cpu != nullptr);
  CHECK(cpu->is_rate);
  CHECK(cpu->unit == "ms");
  CHECK(cpu->parts == kNsPerMs);
  CHECK(Sum(*cpu) >= 2 * Worker::kWorkNs);
  CHECK(Sum(*cpu) < 3 * Worker::kWorkNs);
  // The sleep has two rows, one at its begin and one at its end.
  int64_t longest_ns = 0, used_ns = 0;
  for (size_t i = 1; i < cpu->samples.size(); ++i) {
    const int64_t duration_ns = cpu->samples[i].time_ns - cpu->samples[i - 1].time_ns;
    REQUIRE(duration_ns > 0);
    if (i + 1 == cpu->samples.size() || duration_ns <= longest_ns) continue;
    longest_ns = duration_ns;
    used_ns = cpu->samples[i].count;
  }
  CHECK(longest_ns >= Worker::kSleepNs / 2);
  CHECK(used_ns == 0);

  const CounterRow* const memory = Find(process, "Resident memory");
  REQUIRE(memory != nullptr);
  CHECK_FALSE(memory->is_rate);
  CHECK(memory->category == "Memory");
  CHECK(memory->unit == "bytes");
  CHECK(Sum(*memory) - memory->samples.front().count >= static_cast<int64_t>(Worker::kBytes / 2));

  const CounterRow* const switches = Find(process, "Context switches");
  REQUIRE(switches != nullptr);
  CHECK(Sum(*switches) >= 1);
  CHECK(Find(process, "Bytes written") == nullptr);  // it wrote none
  CHECK(Find(process, "Threads") == nullptr);        // there was always one
}

TEST_CASE("a later process with the same pid, and a program of another time, get nothing of it") {
  const TemporaryFolder folder;
  TestSegment test;
  const Worker worker;
  const int64_t start_ns = MonotonicNs();
  CopySegment(test, folder, worker.pid());
  CounterFile file(folder.path(), kLimitBytes);
  ProcessCounters counters(folder.path(), file);
  for (int i = 0; i < 5; ++i) {
    counters.Look();
    SleepUntilNs(MonotonicNs() + 5 * kNsPerMs);
  }
  const uint64_t ticks = StartTicks(worker.pid());
  CHECK_FALSE(Read(folder, worker.pid(), ticks, start_ns).counters.empty());
  CHECK(Read(folder, worker.pid(), ticks + 1, start_ns).counters.empty());
  CHECK(Read(folder, worker.pid(), ticks, MonotonicNs()).counters.empty());
}

TEST_CASE("a process whose segment is not complete yet is asked later") {
  const TemporaryFolder folder;
  const int64_t start_ns = MonotonicNs();
  const std::string segment = Concat(folder.path(), "/", getpid(), "-0.segment");
  std::ofstream(segment).flush();
  CounterFile file(folder.path(), kLimitBytes);
  ProcessCounters counters(folder.path(), file);
  counters.Look();
  std::filesystem::resize_file(segment, sizeof(SegmentHeader));  // without the magic
  counters.Look();
  CHECK(Read(folder, getpid(), StartTicks(getpid()), start_ns).counters.empty());
  std::filesystem::remove(segment);
  TestSegment test;
  CopySegment(test, folder, getpid());
  counters.Look();
  counters.Look();
  CHECK(Find(Read(folder, getpid(), StartTicks(getpid()), start_ns), "CPU") != nullptr);
}

TEST_CASE("a process of a pid namespace that has ended is not asked") {
  const TemporaryFolder folder;
  TestSegment test;
  test.segment().header().pid_namespace = 1;
  CopySegment(test, folder, getpid());
  CounterFile file(folder.path(), kLimitBytes);
  ProcessCounters counters(folder.path(), file);
  counters.Look();
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/" + kCounterFileName));
}

TEST_CASE("a full file keeps the newer half of its rows, and the folder has no other file") {
  const TemporaryFolder folder;
  TestSegment test;
  const int64_t start_ns = MonotonicNs();
  const Worker worker;
  CopySegment(test, folder, worker.pid());
  constexpr uint64_t kRows = 8;
  CounterFile file(folder.path(), kRows * sizeof(ProcessCounterRow) * 16);
  ProcessCounters counters(folder.path(), file);
  const std::string path = folder.path() + "/" + kCounterFileName;
  while (*ReadProcessCpuNs(worker.pid()) < Worker::kWorkNs) {
    counters.Look();
    SleepUntilNs(MonotonicNs() + kNsPerMs);
    if (!std::filesystem::exists(path)) continue;  // the process had not begun
    CHECK(std::filesystem::file_size(path) <= 16 + kRows * sizeof(ProcessCounterRow));
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/" + kCounterFileNextName));
  }
  const ProcessProfile process = Read(folder, worker.pid(), StartTicks(worker.pid()), start_ns);
  REQUIRE(Find(process, "CPU") != nullptr);
  CHECK(Find(process, "CPU")->samples.size() >= kRows / 2);
  CHECK(Sum(*Find(process, "CPU")) >= Worker::kWorkNs / 2);
}

TEST_CASE("a damaged file has the rows that make sense") {
  const TemporaryFolder folder;
  TestSegment test;
  CopySegment(test, folder, getpid());
  CounterFile file(folder.path(), kLimitBytes);
  ProcessCounters counters(folder.path(), file);
  for (int i = 0; i < 3; ++i) {
    const int64_t begin_ns = CurrentThreadCpuNs();
    while (CurrentThreadCpuNs() - begin_ns < kNsPerMs) {
    }
    counters.Look();
  }
  const std::string path = folder.path() + "/" + kCounterFileName;
  std::string bytes;
  REQUIRE(ReadWholeFile(path.c_str(), bytes) == 0);
  REQUIRE(bytes.size() == 16 + 3 * sizeof(ProcessCounterRow));
  const auto count_rows = [&](const std::string& contents) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
    const CounterRow* const cpu = nullptr;
    const ProcessProfile process = Read(folder, getpid(), StartTicks(getpid()), 1);
    return Find(process, "CPU") != cpu ? Find(process, "CPU")->samples.size() : 0;
  };
  CHECK(count_rows(bytes) == 5);                              // the begin and the end
  CHECK(count_rows(bytes.substr(0, bytes.size() - 1)) == 4);  // the last row is not whole
  CHECK(count_rows(bytes.substr(0, 15)) == 0);
  CHECK(count_rows("") == 0);
  std::string other_version = bytes;
  other_version[8] = 3;
  CHECK(count_rows(other_version) == 0);
  std::string lying = bytes;
  std::ranges::fill(lying.begin() + 16 + kCounterRowBytes, lying.begin() + 16 + 2 * kCounterRowBytes,
                    static_cast<char>(0xff));
  CHECK(count_rows(lying) == 4);
}

}  // namespace
}  // namespace geckoprof
