#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "sampler/sampled_thread.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST_CASE("a thread's first row has no CPU, the next ones what was used since") {
  SampledThreadCpu cpu;
  CHECK_FALSE(cpu.has_row());
  CHECK(cpu.Charge({50 * kMs, 100 * kMs}) == -1);
  CHECK(cpu.has_row());
  CHECK(cpu.Charge({51 * kMs, 101 * kMs}) == kMs);
  CHECK(cpu.Charge({51 * kMs, 109 * kMs}) == 0);
}

TEST_CASE("the first row of a thread that began while we recorded is charged from its begin on") {
  SampledThreadCpu cpu;
  cpu.BeginAt(100 * kMs);
  CHECK_FALSE(cpu.has_row());
  CHECK(cpu.Charge({kMs / 2, 101 * kMs}) == kMs / 2);
  CHECK(cpu.has_row());
  CHECK(cpu.Charge({kMs, 102 * kMs}) == kMs / 2);
  SampledThreadCpu at_once;
  at_once.BeginAt(100 * kMs);
  CHECK(at_once.Charge({kMs, 100 * kMs + 10}) == 10);  // its clock stood above 0 when it could tell
}

TEST_CASE("a late answer is charged up to its own time, the rest to the row after it") {
  // Asked at 100 ms; the thread was inside the kernel until 116 ms and used 15.7 ms of CPU there.
  SampledThreadCpu cpu;
  cpu.Charge({10 * kMs, 99 * kMs});
  const CpuAtTime collected = {10 * kMs + 15'750'000, 116'050'000};
  const int64_t at_answer_ns = SampledThreadCpu::AtAnswer(10 * kMs, collected, 116 * kMs);
  CHECK(at_answer_ns == 25'700'000);
  CHECK(cpu.Charge({at_answer_ns, 116 * kMs}) == 15'700'000);
  CHECK(cpu.Charge({25'820'000, 116'120'000}) == 120'000);
}

TEST_CASE("a thread that waited for a core is not charged for what it did after its answer") {
  CHECK(SampledThreadCpu::AtAnswer(10 * kMs, {12 * kMs, 120 * kMs}, 118 * kMs) == 10 * kMs);
  CHECK(SampledThreadCpu::AtAnswer(10 * kMs, {10 * kMs, 120 * kMs}, 118 * kMs) == 10 * kMs);
  CHECK(SampledThreadCpu::AtAnswer(10 * kMs, {-3, 120 * kMs}, 118 * kMs) == 10 * kMs);  // it has ended
  CHECK(SampledThreadCpu::AtAnswer(10 * kMs, {10 * kMs, 120 * kMs}, 121 * kMs) == 10 * kMs);
}

TEST_CASE("no row is charged with more than has passed, and nothing is lost by that") {
  SampledThreadCpu cpu;
  cpu.Charge({0, 100 * kMs});
  CHECK(cpu.Charge({kMs / 2, 100 * kMs + 1}) == 1);
  CHECK(cpu.Charge({kMs, 101 * kMs}) == kMs - 1);
  CHECK(cpu.Charge({kMs / 2, 100 * kMs}) == 0);  // an older reading
  CHECK(cpu.Charge({2 * kMs, 102 * kMs}) == kMs);
}

TEST_CASE("both clocks are read together; of a thread that has ended there is no CPU") {
  const ThreadId self = ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid)));
  const int64_t before_ns = MonotonicNs();
  int64_t read_ns = 0;
  const CpuAtTime now = SampledThreadCpu::Read(self, read_ns);
  CHECK(read_ns == now.time_ns);
  CHECK(now.cpu_ns >= 0);
  CHECK(now.time_ns >= before_ns);
  CHECK(now.time_ns <= MonotonicNs());
  constexpr int32_t kAboveAll = (1 << 22) + 1;  // pid_max is at most 2^22
  CHECK(SampledThreadCpu::Read(ThreadId::FromNumber(kAboveAll), read_ns).cpu_ns < 0);
}

TEST_CASE("a clock that was read already is read again only if that was too long ago") {
  constexpr int64_t kNobodys = int64_t{1} << 60;
  const ThreadId self = ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid)));
  bool taken = false;
  for (int i = 0; i < 1000 && !taken; ++i) {  // this thread may lose its core just then
    int64_t read_ns = MonotonicNs();
    taken = SampledThreadCpu::Complete(self, kNobodys, read_ns).cpu_ns == kNobodys;
  }
  CHECK(taken);
  int64_t read_ns = MonotonicNs() - kMs;
  const CpuAtTime now = SampledThreadCpu::Complete(self, kNobodys, read_ns);
  CHECK(now.cpu_ns < kNobodys);
  CHECK(now.time_ns == read_ns);
}

}  // namespace
}  // namespace geckoprof
