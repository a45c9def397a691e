#include "sampler/answer_collector.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <vector>

#include "scripted_thread_view.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

using Kind = Answer::Kind;
using Kinds = std::vector<Kind>;

// A process with the second phase of its looks.
struct CollectedProcess : ScriptedProcess {
  const Answers& TakeTicks(int64_t now_ns) {
    answers.clear();
    view.now_ns = now_ns;
    view.NoteTime(now_ns);
    collector.TakeTicks(answers);
    return answers;
  }
  const Answers& TakeRequests(uint32_t fresh, int64_t look_ns, int64_t now_ns) {
    answers.clear();
    view.now_ns = now_ns;
    view.NoteTime(now_ns);
    collector.TakeRequests(fresh, look_ns, answers);
    return answers;
  }
  // Adds a thread that has a row and has run for a while.
  SampledThread& AddRunning(int64_t cpu_ns = 50 * kMs) {
    SampledThread& thread = Add();
    Shown(thread).Run(cpu_ns);
    WriteFirstRow(thread);
    return thread;
  }

  AnswerCollector collector{&setting, {&list, &view, &pool, &ticks, &cycles}};
  Answers answers;
};

// The CPU time that the thread's rows get, in the order of the answers.
std::vector<int64_t> CpuOfRows(const Answers& answers, SampledThread& thread) {
  std::vector<int64_t> rows;
  for (const Answer& answer : answers) {
    if (answer.thread != &thread || answer.kind != Kind::kRunning) continue;
    rows.push_back(thread.cpu.Charge({thread.cpu.AfterPart(answer.cpu, answer.part_ns), answer.time_ns}));
  }
  return rows;
}

TEST_CASE("the ticks of a thread share its CPU time by their weights, and nothing of it is lost") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  SampledThread& other = process.AddRunning();
  constexpr SampleClock kEvent = SampleClock::kPerfEvent, kTimer = SampleClock::kCpuTimer;
  const std::vector<SampleClock> clock = {kEvent, kTimer, kEvent, kEvent, kTimer};
  int64_t weights = 0;
  std::vector<int64_t> weight;
  for (size_t i = 0; i < clock.size(); ++i) {
    const int64_t time_ns = kBegin + (10 + 10 * static_cast<int64_t>(i)) * kMs;
    weight.push_back(process.ticks.WeightOf(*process.Tick(thread, time_ns, clock[i]), kMs));
    weights += weight.back();
    if (i % 2 == 0) process.Tick(other, time_ns + kMs);
  }
  process.Shown(thread).Run(7'777'777);
  process.Shown(other).Run(3 * kMs);
  const Answers& answers = process.TakeTicks(kBegin + 60 * kMs);
  REQUIRE(answers.size() == 8);
  CHECK(process.Shown(thread).clock_readings == 1);
  CHECK(thread.cpu_baseline_ns == process.Shown(thread).cpu_ns);
  CHECK(process.header.samples_asked == 8);
  const std::vector<int64_t> rows = CpuOfRows(answers, thread);
  REQUIRE(rows.size() == 5);
  int64_t sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sum += rows[i];
    CHECK(std::abs(rows[i] - 7'777'777 * weight[i] / weights) <= 2);
  }
  CHECK(sum == 7'777'777);
  CHECK(CpuOfRows(answers, other) == std::vector<int64_t>{kMs, kMs, kMs});
}

TEST_CASE("the first tick after lost ones has their CPU time") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  for (int64_t i = 1; i <= 8; ++i) process.Tick(thread, kBegin + (100 + i) * kMs);
  process.Shown(thread).Run(108 * kMs);
  const std::vector<int64_t> rows = CpuOfRows(process.TakeTicks(kBegin + 108 * kMs), thread);
  REQUIRE(rows.size() == 8);
  constexpr int64_t kErrorNs = kMs / 100;  // time passes while the clock is read
  CHECK(std::abs(rows[0] - 101 * kMs) <= kErrorNs);
  for (size_t i = 1; i < rows.size(); ++i) CHECK(std::abs(rows[i] - kMs) <= kErrorNs);
}

TEST_CASE("ticks of a thread whose clock shows nothing new have no CPU time to share") {
  CollectedProcess process;
  SampledThread& thread = process.Add();
  const bool has_row = GENERATE(false, true);
  if (has_row) process.WriteFirstRow(thread);
  for (int64_t ms = 1; ms <= 4; ++ms) process.Tick(thread, kBegin + ms * kMs);
  const Answers& answers = process.TakeTicks(kBegin + 5 * kMs);
  REQUIRE(answers.size() == 4);
  for (const Answer& answer : answers) CHECK(answer.part_ns == INT64_MAX);
  CHECK(CpuOfRows(answers, thread) == std::vector<int64_t>{has_row ? 0 : -1, 0, 0, 0});
}

TEST_CASE("ticks that came too soon after a copy are counted") {
  CollectedProcess process;
  process.table->skipped = 3;
  CHECK(process.TakeTicks(kBegin).empty());
  CHECK(process.TakeTicks(kBegin + kMs).empty());
  CHECK(process.drops(DropReason::kThrottled) == 3);
}

TEST_CASE("a tick of a timer stands for the kernel's tick, if that is longer than the interval") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  timespec tick = {};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  const CaptureBuffer& timer = *process.Tick(thread, kBegin, SampleClock::kCpuTimer);
  CHECK(process.ticks.WeightOf(timer, kMs) == std::max(kMs, int64_t{tick.tv_nsec}));
  CHECK(process.ticks.WeightOf(timer, kNsPerSecond) == kNsPerSecond);
  CHECK(process.ticks.WeightOf(*process.Tick(thread, kBegin), kMs) == kMs);
  CHECK(process.ticks.RowsOf(timer, kMs) == 1);  // no tick is known to stand beside it
}

TEST_CASE("ticks are in the order of their times, which are never later than the reading of the clock") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  const int64_t now_ns = kBegin + 10 * kMs;
  for (const int64_t ms : {3, 1, 7, 2, 12}) process.Tick(thread, kBegin + ms * kMs);
  process.Shown(thread).Run(5 * kMs);
  std::vector<int64_t> times;
  for (const Answer& answer : process.TakeTicks(now_ns)) {
    CHECK(answer.kind == Kind::kRunning);
    CHECK(answer.capture != nullptr);
    CHECK(answer.cpu.cpu_ns == process.Shown(thread).cpu_ns);
    times.push_back(answer.time_ns);
  }
  REQUIRE(times.size() == 5);
  CHECK(std::vector<int64_t>(times.begin(), times.end() - 1) ==
        std::vector<int64_t>{kBegin + kMs, kBegin + 2 * kMs, kBegin + 3 * kMs, kBegin + 7 * kMs});
  CHECK(times[4] == now_ns + ScriptedThreadView::kStepNs);
}

TEST_CASE("a tick ends a wait, which has its row first if it was not shown") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  const bool is_shown = GENERATE(false, true);
  thread.wait = {kBegin + 2 * kMs, is_shown, WaitCause::kPipe};
  process.Tick(thread, kBegin + kMs);  // before the wait, and not known then
  process.Tick(thread, kBegin + 4 * kMs);
  process.Tick(thread, kBegin + 5 * kMs);
  process.Shown(thread).Run(3 * kMs);
  const Answers& answers = process.TakeTicks(kBegin + 6 * kMs);
  if (is_shown) {
    CHECK(KindsOf(answers) == Kinds{Kind::kRunning, Kind::kRunning, Kind::kRunning});
  } else {
    REQUIRE(KindsOf(answers) == Kinds{Kind::kRunning, Kind::kShortWait, Kind::kRunning, Kind::kRunning});
    CHECK(answers[1].time_ns == kBegin + 2 * kMs);
    CHECK(answers[1].wait.cause == WaitCause::kPipe);
    CHECK(answers[1].capture == nullptr);
  }
  CHECK_FALSE(thread.wait.is_open());
  CHECK(CpuOfRows(answers, thread) == std::vector<int64_t>{kMs, kMs, kMs});
}

TEST_CASE("a wait that began after the last tick goes on") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  thread.wait = {kBegin + 2 * kMs, false, WaitCause::kSleep};
  process.Tick(thread, kBegin + 2 * kMs);
  CHECK(KindsOf(process.TakeTicks(kBegin + 3 * kMs)) == Kinds{Kind::kRunning});
  CHECK(thread.wait.is_open());
}

TEST_CASE("the tick of a thread that is not in the list gives no answer, and its buffer is free again") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  const uint32_t free = process.FreeBufferCount();
  CaptureBuffer* const gone = process.Tick(thread, kBegin + kMs);
  gone->tid = INT32_MAX;
  process.Tick(thread, kBegin + 2 * kMs);
  process.Shown(thread).Run(kMs);
  CHECK(process.TakeTicks(kBegin + 3 * kMs).size() == 1);
  CHECK(process.FreeBufferCount() == free - 1);
  CHECK_FALSE(CapturePool::IsAnswered(gone));
  process.collector.GiveBack(process.answers);
  CHECK(process.FreeBufferCount() == free);
  CHECK(process.TakeTicks(kBegin + 4 * kMs).empty());
}

// The sampler takes ticks together, so a thread has often ended by then.
TEST_CASE("the ticks of a thread that has ended since have the CPU time that they stand for") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  process.Tick(thread, kBegin + 2 * kMs);
  process.Tick(thread, kBegin + 4 * kMs);
  process.Shown(thread).cpu_ns = -ESRCH;
  const Answers& answers = process.TakeTicks(kBegin + 5 * kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kRunning, Kind::kRunning});
  CHECK(answers[0].cpu.cpu_ns >= 0);
  CHECK(CpuOfRows(answers, thread) == std::vector<int64_t>{kMs, kMs});
}

TEST_CASE("ticks that found no buffer are counted, and more buffers are made") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  const uint32_t first = process.BufferCount();
  CHECK(first > 0);
  CHECK(process.table->few < first);
  for (uint32_t i = 0; i < first + 3; ++i) {
    CHECK((process.Tick(thread, kBegin + (1 + i) * kMs) != nullptr) == (i < first));
  }
  process.Shown(thread).Run(first * kMs);
  CHECK(process.TakeTicks(kBegin + 100 * kMs).size() == first);
  CHECK(process.drops(DropReason::kNoBuffer) == 3);
  CHECK(process.BufferCount() > first);
  CHECK(process.FreeBufferCount() == process.BufferCount() - first);
  process.collector.GiveBack(process.answers);
  CHECK(process.FreeBufferCount() == process.BufferCount());
  CHECK(process.TakeTicks(kBegin + 101 * kMs).empty());
  CHECK(process.drops(DropReason::kNoBuffer) == 3);
  // There is an end to it.
  for (int i = 0; i < 100; ++i) {
    process.table->unserved = 1;
    process.TakeTicks(kBegin + 102 * kMs);
  }
  CHECK(process.BufferCount() == TickTable::kBuffers);
  CHECK(process.FreeBufferCount() == TickTable::kBuffers);
}

TEST_CASE("a buffer of a deep stack comes back with more room") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  thread.wanted_copy_bytes = 256 * 1024;
  CaptureBuffer* const buffer = process.Tick(thread, kBegin + kMs);
  CHECK(buffer->capacity_bytes < 256 * 1024);
  process.TakeTicks(kBegin + 2 * kMs);
  process.collector.GiveBack(process.answers);
  CHECK(buffer->capacity_bytes == 256 * 1024);
  buffer->stack_copy[256 * 1024 - 1] = 1;
}

TEST_CASE("a request of this look has the CPU time up to its answer; base's own handler is no work of the thread") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  process.Request(thread, kBegin);
  process.Shown(thread).Run(30 * kUs);
  ScriptedProcess::FillIn(*thread.pending, kBegin + 20 * kUs);
  const Answers& answers = process.TakeRequests(1, kBegin, kBegin + 25 * kUs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kRunning});
  CHECK(answers[0].capture == thread.pending);
  CHECK(answers[0].time_ns == kBegin + 20 * kUs);
  // All of the time since the answer may have been CPU time.
  CHECK(answers[0].cpu.cpu_ns >= process.Shown(thread).cpu_ns - 10 * kUs);
  CHECK(answers[0].cpu.cpu_ns < process.Shown(thread).cpu_ns);
  CHECK(thread.cpu_baseline_ns == process.Shown(thread).cpu_ns);
  CHECK_FALSE(process.collector.awaits_answers());
  // It is taken once, and it is pending until its row is written.
  Answers again;
  process.collector.TakeRequests(0, kBegin, again);
  CHECK(again.empty());
  CHECK(process.drops(DropReason::kUnanswered) == 1);
  process.collector.GiveBack(process.answers);
  CHECK(thread.pending == nullptr);
  CHECK(process.drops(DropReason::kUnanswered) == 0);
  CHECK_FALSE(thread.is_collected);
}

TEST_CASE("a request that is answered late keeps its time, and work since then is sampled later") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  const int64_t asked_cpu_ns = process.Shown(thread).cpu_ns;
  process.Request(thread, kBegin);
  thread.is_signal_blocked = true;
  CHECK(process.TakeRequests(1, kBegin, kBegin + kUs).empty());
  CHECK(process.collector.awaits_answers());
  CHECK(process.TakeRequests(0, kBegin + 10 * kMs, kBegin + 10 * kMs).empty());
  CHECK(process.collector.awaits_answers());
  ScriptedProcess::FillIn(*thread.pending, kBegin + 15 * kMs);
  process.Shown(thread).Run(9 * kMs);
  const Answers& answers = process.TakeRequests(0, kBegin + 20 * kMs, kBegin + 20 * kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kRunning});
  CHECK_FALSE(process.collector.awaits_answers());
  CHECK(answers[0].time_ns == kBegin + 15 * kMs);
  CHECK(answers[0].cpu.cpu_ns / kUs == (asked_cpu_ns + 4 * kMs) / kUs - 1);  // 9 ms, less the time since
  CHECK(thread.cpu_baseline_ns == asked_cpu_ns);
  CHECK_FALSE(thread.is_signal_blocked);
}

TEST_CASE("an answer has a time between its request and now, whatever the cycle counter says") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  process.Request(thread, kBegin + kMs);
  CHECK(process.TakeRequests(1, kBegin + kMs, kBegin + kMs).empty());
  const bool is_early = GENERATE(false, true);
  ScriptedProcess::FillIn(*thread.pending, is_early ? kBegin : kBegin + 100 * kMs);
  const Answers& answers = process.TakeRequests(0, kBegin + 2 * kMs, kBegin + 2 * kMs);
  REQUIRE(answers.size() == 1);
  if (is_early) CHECK(answers[0].time_ns == kBegin + kMs);
  if (!is_early) CHECK((answers[0].time_ns >= kBegin + 2 * kMs && answers[0].time_ns < kBegin + 2 * kMs + 10 * kUs));
}

TEST_CASE("the answer of a thread that has ended since counts up to its request") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  process.Request(thread, kBegin);
  CHECK(process.TakeRequests(1, kBegin, kBegin).empty());
  ScriptedProcess::FillIn(*thread.pending, kBegin + kMs);
  process.Shown(thread).cpu_ns = -ESRCH;
  const Answers& answers = process.TakeRequests(0, kBegin + 2 * kMs, kBegin + 2 * kMs);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].cpu.cpu_ns == thread.pending_cpu_ns);
}

TEST_CASE("the collector spins for the requests of the look, and for no others") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  SampledThread& late = process.AddRunning();
  process.Request(thread, kBegin);
  const bool is_late_one_answered = GENERATE(false, true);
  process.Request(late, kBegin - kMs);
  if (is_late_one_answered) ScriptedProcess::FillIn(*late.pending, kBegin);
  int readings = 0;
  process.view.at_reading = [&] {
    if (++readings == 5) ScriptedProcess::FillIn(*thread.pending, process.view.now_ns);
  };
  CHECK(process.TakeRequests(1, kBegin, kBegin).size() == (is_late_one_answered ? 2 : 1));
  CHECK(readings < 20);
  CHECK(process.collector.awaits_answers() == !is_late_one_answered);
}

TEST_CASE("the collector spins for some microseconds only") {
  CollectedProcess process;
  SampledThread& thread = process.AddRunning();
  process.Request(thread, kBegin);
  CHECK(process.TakeRequests(1, kBegin, kBegin).empty());
  CHECK(process.view.now_ns - kBegin >= 20 * kUs);
  CHECK(process.view.now_ns - kBegin < 100 * kUs);
  process.view.now_ns = kBegin;
  CHECK(process.TakeRequests(0, kBegin, kBegin).empty());
  CHECK(process.view.now_ns - kBegin < kUs);
}

// An event of a user without rights sees no time in the kernel, and a timer of timer_create(2) covers it. Its ticks are
// as many rows as an event would have made.
TEST_CASE("a timer's tick beside events is shown as several rows") {
  constexpr uid_t kNobody = 65534;
  const int status = StatusInChild([] {
    CollectedProcess process;
    SampledThread& thread = process.Add(OwnTid());
    process.Shown(thread).Run(50 * kMs);
    process.WriteFirstRow(thread);
    if (setresuid(kNobody, kNobody, kNobody) != 0) return kForkedSkip;
    if (!process.ticks.Arm(thread, kNsPerSecond, SIGURG) || !thread.timer.is_of_two_clocks()) return kForkedSkip;
    const CaptureBuffer* const timer = process.Tick(thread, kBegin + 9 * kMs, SampleClock::kCpuTimer);
    const int64_t rows = process.ticks.WeightOf(*timer, kMs) / kMs;
    process.Tick(thread, kBegin + 5 * kMs);
    const Answers& answers = process.TakeTicks(kBegin + 10 * kMs);
    FORKED_REQUIRE(answers.size() == 2);
    FORKED_REQUIRE(answers[0].rows == 1 && answers[1].rows == rows);
    // The event is given up if it does not see a large part of the time, and no system call has it.
    FORKED_REQUIRE(thread.timer.is_of_two_clocks());
    for (int i = 1; i <= 30 && thread.timer.is_of_two_clocks(); ++i) {
      process.Shown(thread).Run(10 * kMs);
      process.Tick(thread, kBegin + (10 + 10 * i) * kMs);
      process.TakeTicks(kBegin + (11 + 10 * i) * kMs);
    }
    FORKED_REQUIRE(thread.timer.is_armed() && !thread.timer.is_of_two_clocks());
    const auto part = [&](SampleClock clock, int64_t used_ns, int64_t events, int64_t timers) {
      return process.ticks.PartOf(clock, used_ns, {events, timers}, kMs);
    };
    constexpr SampleClock kEvent = SampleClock::kPerfEvent, kTimer = SampleClock::kCpuTimer;
    const int64_t tick_ns = rows * kMs;
    FORKED_REQUIRE(part(kEvent, 10 * kMs, 4, 1) == kMs && part(kTimer, 10 * kMs, 4, 1) == 6 * kMs);
    FORKED_REQUIRE(part(kTimer, 10 * kMs, 4, 2) == 3 * kMs);
    // The rest stays for the next tick of the timer, unless it is large.
    FORKED_REQUIRE(part(kEvent, 4 * kMs + 2 * tick_ns, 4, 0) == kMs);
    FORKED_REQUIRE(part(kEvent, 8 * kMs + 2 * tick_ns, 4, 0) == 2 * kMs);
    // The events stand for more than was used.
    FORKED_REQUIRE(part(kEvent, 2 * kMs, 4, 0) == kMs / 2);
    return 0;
  });
  if (status == kForkedSkip) WARN("events may see the kernel here, or are not permitted");
  if (status != kForkedSkip) CHECK(status == 0);
}

}  // namespace
}  // namespace geckoprof
