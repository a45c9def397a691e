#include "geckoprof/control/process_usage.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

constexpr pid_t kNoPid = 1 << 23;  // above every pid

ProcessUsage OwnUsage() {
  const std::optional<ProcessUsage> usage = ReadProcessUsage(getpid());
  REQUIRE(usage.has_value());
  return *usage;
}

TEST_CASE("CPU time is counted in ns, as the process itself sees it") {
  const uint64_t before_ns = OwnUsage().cpu_ns;
  const int64_t own_before_ns = CurrentThreadCpuNs();
  while (CurrentThreadCpuNs() - own_before_ns < 20 * kNsPerMs) {
  }
  const uint64_t used_ns = OwnUsage().cpu_ns - before_ns;
  CHECK(used_ns >= 20 * kNsPerMs);
  CHECK(used_ns < 40 * kNsPerMs);
}

TEST_CASE("memory that is touched is resident, and each page is a fault") {
  constexpr size_t kBytes = 32 << 20;
  const ProcessUsage before = OwnUsage();
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  madvise(memory, kBytes, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  const ProcessUsage after = OwnUsage();
  munmap(memory, kBytes);
  // The kernel adds up counts of pages in portions.
  CHECK(after.resident_bytes - before.resident_bytes >= kBytes - (2 << 20));
  CHECK(after.minor_faults - before.minor_faults >= kBytes / 4096);
  CHECK(OwnUsage().resident_bytes <= after.resident_bytes - kBytes / 2);
}

TEST_CASE("bytes of reads and writes are counted") {
  const ProcessUsage before = OwnUsage();
  const Fd zeros = Fd::Open("/dev/zero", O_RDONLY), sink = Fd::Open("/dev/null", O_WRONLY);
  std::vector<uint8_t> bytes(1 << 20);
  REQUIRE(zeros.ReadAt(0, bytes) == static_cast<int64_t>(bytes.size()));
  REQUIRE(write(sink.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const ProcessUsage after = OwnUsage();
  CHECK(after.read_bytes - before.read_bytes >= bytes.size());
  CHECK(after.read_bytes - before.read_bytes < bytes.size() + 65536);
  CHECK(after.written_bytes - before.written_bytes == bytes.size());
}

TEST_CASE("threads are counted") {
  std::vector<std::thread> threads;
  const uint64_t before = OwnUsage().thread_count;
  for (int i = 0; i < 3; ++i) threads.emplace_back([] { SleepUntilNs(MonotonicNs() + 200 * kNsPerMs); });
  CHECK(OwnUsage().thread_count == before + 3);
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("a sleep is a switch of the thread") {
  const std::optional<uint64_t> before = ReadThreadSwitches(getpid(), getpid());
  for (int i = 0; i < 10; ++i) SleepUntilNs(MonotonicNs() + kNsPerMs);
  const std::optional<uint64_t> after = ReadThreadSwitches(getpid(), getpid());
  REQUIRE(before.has_value());
  REQUIRE(after.has_value());
  CHECK(*after - *before >= 10);
}

TEST_CASE("a process that is gone, and one that has ended, are told apart from live ones") {
  CHECK_FALSE(ReadProcessCpuNs(kNoPid).has_value());
  CHECK_FALSE(ReadProcessUsage(kNoPid).has_value());
  CHECK_FALSE(ReadThreadSwitches(kNoPid, kNoPid).has_value());
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info = {};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  const std::optional<ProcessUsage> usage = ReadProcessUsage(child);  // the kernel still knows what it used
  REQUIRE(usage.has_value());
  CHECK(usage->resident_bytes == 0);
  CHECK(usage->start_ticks >= OwnUsage().start_ticks);
  waitpid(child, nullptr, 0);
  CHECK_FALSE(ReadProcessUsage(child).has_value());
}

}  // namespace
}  // namespace geckoprof
