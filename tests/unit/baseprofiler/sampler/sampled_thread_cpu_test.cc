#include <errno.h>

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

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

TEST_CASE("a row of a waiting thread is charged with nothing, and one that counts with all of its time") {
  using RowKind = SampledThreadCpu::RowKind;
  SampledThreadCpu cpu;
  cpu.Charge({0, 100 * kMs});
  CHECK(cpu.Charge({4 * kMs, 110 * kMs}, RowKind::kWaiting) == 0);
  CHECK(cpu.Unsampled({5 * kMs, 110 * kMs}) == 5 * kMs);
  CHECK(cpu.Charge({cpu.AfterPart({5 * kMs, 110 * kMs}, kMs), 110 * kMs}) == kMs);
  CHECK(cpu.Charge({5 * kMs, 110 * kMs + 1}, RowKind::kCounting) == 4 * kMs);
  CHECK(cpu.Unsampled({5 * kMs, 111 * kMs}) == 0);
}

TEST_CASE("no row is charged with more than has passed, and nothing is lost by that") {
  SampledThreadCpu cpu;
  cpu.Charge({0, 100 * kMs});
  CHECK(cpu.Charge({kMs / 2, 100 * kMs + 1}) == 1);
  CHECK(cpu.Charge({kMs, 101 * kMs}) == kMs - 1);
  CHECK(cpu.Charge({kMs / 2, 100 * kMs}) == 0);  // an older reading
  CHECK(cpu.Charge({2 * kMs, 102 * kMs}) == kMs);
}

// A view of one thread whose CPU clock shows the given values, one after the other. Time passes at each reading of it.
class ScriptedView final : public ThreadView {
 public:
  ScriptedView(int64_t now_ns, int64_t step_ns, std::vector<int64_t> cpu)
      : now_ns_(now_ns), step_ns_(step_ns), cpu_(std::move(cpu)) {}
  int64_t NowNs() override { return now_ns_ += step_ns_; }
  int64_t CpuNs(ThreadId) override { return next_ < cpu_.size() ? cpu_[next_++] : -1; }
  BlockedThreadReader::State ReadPlace(const SampledThread&, BlockedThreadReader::Place&) override {
    return BlockedThreadReader::State::kNoAccess;
  }
  int64_t ReadyNs(const SampledThread&, bool) override { return -1; }
  WaitCause CauseAt(const SampledThread&, const BlockedThreadReader::Place&) override { return WaitCause::kOther; }
  Wait WaitAt(const SampledThread&, const BlockedThreadReader::Place&) override { return {WaitCause::kOther}; }
  KernelSignalSet BlockedSignals(ThreadId) override { return 0; }
  KernelSignalSet PendingSignals(ThreadId) override { return 0; }
  size_t readings() const { return next_; }

 private:
  int64_t now_ns_, step_ns_;
  std::vector<int64_t> cpu_;
  size_t next_ = 0;
};

const ThreadId kThread = ThreadId::FromNumber(7);

TEST_CASE("both clocks are read together; of a thread that has ended there is no CPU") {
  ScriptedView view(100 * kMs, 1'000, {3 * kMs, -ESRCH});
  view.NoteTime(100 * kMs);
  const CpuAtTime now = view.ReadCpu(kThread);
  CHECK(now.cpu_ns == 3 * kMs);
  CHECK(now.time_ns == 100 * kMs + 1'000);
  CHECK(view.ReadCpu(kThread).cpu_ns < 0);
}

TEST_CASE("a CPU clock that was read long before the time is read again, a few times at most") {
  ScriptedView view(100 * kMs, 1'000, {4 * kMs});
  view.NoteTime(90 * kMs);
  const CpuAtTime again = view.CompleteCpu(kThread, 3 * kMs);
  CHECK(again.cpu_ns == 4 * kMs);
  CHECK(again.time_ns == 100 * kMs + 2'000);
  // The sampler loses its core at each reading.
  ScriptedView slow(100 * kMs, kMs, {kMs, 2 * kMs, 3 * kMs, 4 * kMs, 5 * kMs});
  CHECK(slow.CompleteCpu(kThread, 0).cpu_ns == 3 * kMs);
  CHECK(slow.readings() == 3);
}

TEST_CASE("time in the kernel that is not in system calls is noticed") {
  constexpr int64_t kTickNs = 4 * kMs;
  KernelTimeCheck in_calls;
  for (int i = 0; i < 20; ++i) CHECK_FALSE(in_calls.Add(100 * kMs, 50 * kMs, 12 + i % 2, kTickNs));
  KernelTimeCheck in_faults;
  CHECK_FALSE(in_faults.Add(100 * kMs, 60 * kMs, 0, kTickNs));  // too short a time
  CHECK(in_faults.Add(100 * kMs, 60 * kMs, 0, kTickNs));
  CHECK_FALSE(in_faults.Add(100 * kMs, 60 * kMs, 0, kTickNs));  // it begins anew
  // The ticks of the timer have an error.
  KernelTimeCheck few_ticks;
  CHECK_FALSE(few_ticks.Add(200 * kMs, 100 * kMs, 19, kTickNs));
  KernelTimeCheck both;
  CHECK(both.Add(400 * kMs, 100 * kMs, 25, kTickNs));
}

}  // namespace
}  // namespace geckoprof
