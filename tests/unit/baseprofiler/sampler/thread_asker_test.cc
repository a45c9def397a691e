#include "sampler/thread_asker.h"

#include <catch2/catch.hpp>
#include <vector>

#include "asked_process.h"
#include "geckoprof/base/clock.h"
#include "recording/thread_slots.h"

namespace geckoprof {

// The library's own definition needs most of base.
__thread ThreadSlot* ThreadSlots::own_ = nullptr;

namespace {

using Kind = Answer::Kind;
using Kinds = std::vector<Kind>;
using State = BlockedThreadReader::State;

TEST_CASE("a thread that waits and did not run is not looked at further") {
  AskedProcess process;
  SampledThread& thread = process.AddWaiting(kBegin);
  REQUIRE(KindsOf(process.Look(kBegin + 10 * kMs)) == Kinds{Kind::kWaiting});
  const int readings = process.Shown(thread).place_readings;
  for (int64_t ms = 11; ms < 30; ++ms) CHECK(process.Look(kBegin + ms * kMs).empty());
  CHECK(process.Shown(thread).place_readings == readings);
  CHECK(thread.idle_looks > 0);
  process.Shown(thread).cpu_ns += 1;
  process.Shown(thread).BlockAt(2);
  CHECK(process.Look(kBegin + 30 * kMs).empty());
  CHECK(thread.idle_looks == 0);
  CHECK(process.Shown(thread).place_readings == readings + 1);
  CHECK(IsAt(thread.wait.since_ns, kBegin + 30 * kMs));
}

TEST_CASE("a wait is shown after three intervals, or 10 ms, and its row has the time of the first look") {
  const auto [interval_ns, least_ns] = GENERATE(std::pair{100 * kUs, 300 * kUs}, std::pair{kMs, 3 * kMs},
                                                std::pair{5 * kMs, 10 * kMs}, std::pair{100 * kMs, 10 * kMs});
  AskedProcess process;
  process.setting.interval_ns = interval_ns;
  SampledThread& thread = process.AddWaiting(kBegin);
  process.Shown(thread).wait = {WaitCause::kPoll};
  CHECK(process.Look(kBegin + least_ns - kUs).empty());
  CHECK(process.Shown(thread).place_readings == 2);
  const Answers& answers = process.Look(kBegin + least_ns);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kWaiting});
  CHECK(answers[0].thread == &thread);
  CHECK(answers[0].time_ns == thread.wait.since_ns);
  CHECK(IsAt(answers[0].time_ns, kBegin));
  CHECK(answers[0].cpu.cpu_ns == process.Shown(thread).cpu_ns);
  CHECK(answers[0].place == process.Shown(thread).place);
  CHECK(answers[0].wait.cause == WaitCause::kPoll);
}

TEST_CASE("a wait for a lock is shown at once, with the holder") {
  AskedProcess process;
  SampledThread& thread = process.Add();
  process.WriteFirstRow(thread);
  process.Shown(thread).BlockAt(1);
  process.Shown(thread).wait = {WaitCause::kLock, 0x7000, ThreadIndex::FromNumber(3)};
  const Answers& answers = process.Look(kBegin);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kWaiting});
  CHECK(answers[0].wait.lock_address == 0x7000);
  CHECK(answers[0].wait.holder == ThreadIndex::FromNumber(3));
  CHECK(process.Look(kBegin + 20 * kMs).empty());
}

TEST_CASE("the stack of a wait is copied, up to its end") {
  AskedProcess process;
  process.setting.any_stacks = true;
  SampledThread& thread = process.AddWaiting(kBegin);
  ScriptedThread& shown = process.Shown(thread);
  for (size_t i = 0; i < shown.stack.size(); ++i) shown.stack[i] = static_cast<uint8_t>(i);
  shown.place.sp += 16;
  const Answers& answers = process.Look(kBegin + 10 * kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kWaiting});
  REQUIRE(answers[0].copy.size_bytes == shown.stack.size() - 16);
  CHECK(std::equal(shown.stack.begin() + 16, shown.stack.end(), answers[0].copy.bytes));
  CHECK(answers[0].copy.reached_stack_end);
  CHECK(answers[0].labels == nullptr);
}

TEST_CASE("a stack that cannot be read gives an answer with the reason, and the wait counts as shown") {
  AskedProcess process;
  process.setting.any_stacks = true;
  SampledThread& thread = process.AddWaiting(kBegin);
  process.Shown(thread).place.sp = 0x1000;
  thread.stack = {0x1000, 0x2000};
  CHECK(KindsOf(process.Look(kBegin + 10 * kMs)) == Kinds{Kind::kUnreadable});
  CHECK(process.drops(DropReason::kUnreadableStack) == 1);
  CHECK(process.Look(kBegin + 20 * kMs).empty());
}

TEST_CASE("a thread whose place the kernel hides has a row with the reason, and is not read again while it waits") {
  AskedProcess process;
  SampledThread& thread = process.AddWaiting(kBegin);
  process.Shown(thread).Run(kMs);
  process.Shown(thread).state = State::kNoAccess;
  // The made-up thread is in no list of the kernel, so it does not run.
  const Answers& answers = process.Look(kBegin + kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kShortWait, Kind::kUnreadable});
  CHECK(answers[1].wait.cause == WaitCause::kOther);
  CHECK(process.drops(DropReason::kUnreadableStack) == 1);
  const int readings = process.Shown(thread).place_readings;
  CHECK(process.Look(kBegin + 10 * kMs).empty());
  CHECK(process.Shown(thread).place_readings == readings);
}

TEST_CASE("a wait that ends before it is shown gives one answer without a stack") {
  AskedProcess process;
  SampledThread& thread = process.AddWaiting(kBegin);
  process.Shown(thread).wait.cause = WaitCause::kPoll;  // the cause was read at the first look
  const bool waits_again = GENERATE(false, true);
  process.Shown(thread).Run(10 * kUs);
  if (waits_again) process.Shown(thread).BlockAt(1);
  const int64_t since_ns = thread.wait.since_ns;
  const Answers& answers = process.Look(kBegin + kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kShortWait});
  CHECK(answers[0].thread == &thread);
  CHECK(answers[0].time_ns == since_ns);
  CHECK(answers[0].wait.cause == WaitCause::kSleep);
  CHECK(thread.wait.is_open() == waits_again);
  if (waits_again) CHECK(IsAt(thread.wait.since_ns, kBegin + kMs));
  // The second wait is as long as the shortest one with a stack.
  CHECK(KindsOf(process.Look(kBegin + 4 * kMs)) == (waits_again ? Kinds{Kind::kWaiting} : Kinds{}));
}

TEST_CASE("a wait that was shown ends without a further row") {
  AskedProcess process;
  SampledThread& thread = process.AddWaiting(kBegin);
  REQUIRE(KindsOf(process.Look(kBegin + 10 * kMs)) == Kinds{Kind::kWaiting});
  process.Shown(thread).Run(kMs);
  process.Shown(thread).BlockAt(1);
  CHECK(process.Look(kBegin + 11 * kMs).empty());
  CHECK_FALSE(thread.wait.is_shown);
}

TEST_CASE("a thread that moves while it is copied gives no answer, and the next look tries again") {
  AskedProcess process;
  SampledThread& thread = process.AddWaiting(kBegin);
  ScriptedThread& shown = process.Shown(thread);
  const int what = GENERATE(0, 1, 2);
  shown.while_copied = [&] {
    if (what == 0) shown.BlockAt(2);
    if (what == 1) shown.state = State::kRunning;
    if (what == 2) shown.cpu_ns += 1;  // it is at the same place again
  };
  CHECK(process.Look(kBegin + 10 * kMs).empty());
  CHECK(process.drops(DropReason::kMovedWhileRead) == 1);
  CHECK(process.header.samples_asked == 1);
  CHECK_FALSE(thread.wait.is_shown);
  shown.while_copied = nullptr;
  shown.cpu_ns += 1;
  shown.BlockAt(3);
  CHECK(KindsOf(process.Look(kBegin + 11 * kMs)) == Kinds{Kind::kShortWait});
  CHECK(KindsOf(process.Look(kBegin + 20 * kMs)) == Kinds{Kind::kWaiting});
  CHECK(process.header.samples_asked == 2);
}

TEST_CASE("a thread that is new and waits has a row at once") {
  AskedProcess process;
  SampledThread& thread = process.Add();
  process.Shown(thread).BlockAt(1);
  const Answers& answers = process.Look(kBegin);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kWaiting});
  CHECK(IsAt(answers[0].time_ns, kBegin));
  CHECK(thread.wait.is_shown);
}

TEST_CASE("a thread that is new and runs is asked by a signal, and gets a timer at its second look") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  process.Shown(thread).Run(kMs);
  CHECK(process.Look(kBegin).empty());
  REQUIRE(thread.pending != nullptr);
  CHECK(thread.pending_since_ns == kBegin);
  CHECK(thread.pending_cpu_ns == kMs);
  CHECK(thread.pending_signal == SIGURG);
  CHECK(process.asker.outcome().requests == 1);
  CHECK(process.asker.outcome().any_to_ask);
  CHECK_FALSE(thread.timer.is_armed());
  process.Answer(thread);
  process.Shown(thread).Run(kMs);
  CHECK(process.Look(kBegin + kMs).empty());
  CHECK(thread.timer.is_armed() == HasKernelTimers());
  CHECK(thread.slot->has_timer == HasKernelTimers());
  CHECK(process.control.has_timers);
  CHECK((thread.pending == nullptr) == HasKernelTimers());
  CHECK(process.asker.outcome().any_to_ask != HasKernelTimers());
}

TEST_CASE("a thread that was only interrupted by our handler did not run") {
  AskedProcess process;
  SampledThread& thread = process.Add();
  process.WriteFirstRow(thread);
  process.Shown(thread).cpu_ns += 20 * kUs;
  CHECK(process.Look(kBegin).empty());
  CHECK(thread.idle_looks > 0);
  process.Shown(thread).cpu_ns += 1;
  process.Shown(thread).BlockAt(1);
  process.Look(kBegin + kMs);
  CHECK(thread.idle_looks == 0);
}

// How a thread can be unsafe for signals.
struct Unsafe {
  StackProblem problem;
  DropReason drop;
  void (*make)(ThreadSlot& slot);
};
const Unsafe kUnsafe[] = {
    {StackProblem::kSignalBlocked, DropReason::kSignalBlocked,
     [](ThreadSlot& slot) { slot.blocked_signals = SignalBit(SIGURG); }},
    {StackProblem::kSmallSignalStack, DropReason::kSmallSignalStack,
     [](ThreadSlot& slot) { slot.signal_stack_room = SignalStackRoom::kTooSmall; }},
    {StackProblem::kTraced, DropReason::kTraced, [](ThreadSlot& slot) { slot.is_traced = true; }},
};

TEST_CASE("a thread that must not get the signal has no timer and no request, but rows with the reason") {
  const Unsafe& unsafe = kUnsafe[GENERATE(0, 1, 2)];
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  unsafe.make(*thread.slot);
  for (int64_t ms = 0; ms < 3; ++ms) {
    process.Shown(thread).Run(kMs);
    const Answers& answers = process.Look(kBegin + ms * kMs);
    REQUIRE(KindsOf(answers) == Kinds{Kind::kReason});
    CHECK(answers[0].problem == unsafe.problem);
    CHECK(answers[0].cpu.cpu_ns == process.Shown(thread).cpu_ns);
    CHECK(thread.pending == nullptr);
    CHECK_FALSE(thread.timer.is_armed());
    CHECK_FALSE(thread.slot->has_timer);
    CHECK(process.asker.outcome().any_to_ask);
    CHECK(process.asker.outcome().ran_unarmed == (ms > 0));
  }
  CHECK(process.drops(unsafe.drop) == 3);
}

TEST_CASE("a thread that forks is asked for nothing") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  process.control.busy_forking_tid = OwnTid().ToNumber();
  for (int64_t ms = 0; ms < 3; ++ms) {
    process.Shown(thread).Run(kMs);
    CHECK(process.Look(kBegin + ms * kMs).empty());
    CHECK(thread.pending == nullptr);
    CHECK_FALSE(thread.timer.is_armed());
    CHECK(process.Shown(thread).place_readings == 0);
    CHECK(thread.idle_looks > 0);
  }
  process.control.busy_forking_tid = 0;
  process.Look(kBegin + 3 * kMs);
  CHECK(thread.idle_looks == 0);
  CHECK(thread.timer.is_armed() == HasKernelTimers());
}

TEST_CASE("the timer of a thread that became unsafe, or that is not sampled any more, is disarmed") {
  if (!HasKernelTimers()) return;
  AskedProcess process;
  SampledThread& thread = process.AddArmed();
  process.asker.UpdateTimers(true);
  CHECK(thread.timer.is_armed());
  const uint32_t checks = process.control.timer_checks;
  process.asker.UpdateTimers(true);
  CHECK(process.control.timer_checks == checks);  // nothing has changed
  const int what = GENERATE(0, 1, 2, 3, 4, 5);
  if (what < 3) kUnsafe[what].make(*thread.slot);
  if (what == 3) process.control.busy_forking_tid = OwnTid().ToNumber();
  if (what < 3) process.control.Nudge();
  if (what == 4) {
    thread.selected = false;
    process.Look(kBegin);
  } else {
    process.asker.UpdateTimers(what != 5);
    CHECK(process.control.timer_checks == checks + 1);
  }
  CHECK_FALSE(thread.timer.is_armed());
  CHECK_FALSE(thread.slot->has_timer);
}

TEST_CASE("a thread that the kernel refuses a timer is asked, and the timer is tried again later") {
  AskedProcess process;
  SampledThread& thread = process.Add();  // there is no such thread
  process.Shown(thread).BlockAt(1);
  process.LookAtNew(kBegin);
  CHECK_FALSE(thread.timer.is_armed());
  CHECK_FALSE(thread.slot->has_timer);
  const int64_t again_ns = thread.arm_again_ns;
  CHECK(again_ns == kBegin + kMs + 100 * kMs);
  process.Look(again_ns - kMs);
  CHECK(thread.arm_again_ns == again_ns);
  process.Look(again_ns);
  CHECK(thread.arm_again_ns == again_ns + 100 * kMs);
}

TEST_CASE("a new signal disarms all timers, and is drained when nothing of the old one is left") {
  AskedProcess process;
  SampledThread* const armed = HasKernelTimers() ? &process.AddArmed() : nullptr;
  SampledThread& asked = process.Add();
  process.Request(asked, kBegin);
  process.control.signal = SIGWINCH;
  // Nothing is armed, and nothing drained, before the timers know the new signal.
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGURG);
  process.asker.UpdateTimers(true);
  if (armed != nullptr) {
    CHECK_FALSE(armed->timer.is_armed());
    CHECK(armed->former_signal == SIGURG);
    process.Shown(*armed).pending_signals = SignalBit(SIGURG);
  }
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGURG);
  ScriptedProcess::FillIn(*asked.pending, kBegin + kMs);
  process.asker.ReportDrained();
  CHECK((process.control.drained_signal == SIGURG) == (armed != nullptr));
  if (armed == nullptr) return;
  process.Shown(*armed).pending_signals = SignalBit(SIGWINCH);
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGWINCH);
  CHECK(armed->former_signal == 0);
  process.Shown(*armed).Run(kMs);
  process.Look(kBegin + kMs);
  CHECK(armed->timer.is_armed());
}

TEST_CASE("a signal is not drained while a tick is pending whose timer was disarmed before the change") {
  if (!HasKernelTimers()) return;
  AskedProcess process;
  SampledThread& thread = process.AddArmed();
  process.asker.UpdateTimers(false);  // a pause
  process.Shown(thread).pending_signals = SignalBit(SIGURG);
  process.asker.UpdateTimers(true);
  process.control.signal = SIGWINCH;
  process.asker.UpdateTimers(true);
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGURG);
  process.Shown(thread).pending_signals = 0;
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGWINCH);
}

TEST_CASE("a tick with the signal in use does not keep the former signal from being drained") {
  if (!HasKernelTimers()) return;
  AskedProcess process;
  SampledThread& thread = process.AddArmed();
  SampledThread& asked = process.Add();
  process.Request(asked, kBegin);
  process.control.signal = SIGWINCH;
  process.asker.UpdateTimers(true);
  process.Shown(thread).Run(kMs);
  process.Look(kBegin + kMs);
  REQUIRE(thread.timer.is_armed());
  process.asker.UpdateTimers(false);
  process.Shown(thread).pending_signals = SignalBit(SIGWINCH);
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGURG);  // a request is on its way
  ScriptedProcess::FillIn(*asked.pending, kBegin + kMs);
  process.asker.ReportDrained();
  CHECK(process.control.drained_signal == SIGWINCH);
}

TEST_CASE("no timer is armed with a signal that the timers' threads were not checked for") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  process.WriteFirstRow(thread);
  process.control.signal = SIGWINCH;
  process.Look(kBegin);
  CHECK_FALSE(thread.timer.is_armed());
  process.asker.UpdateTimers(true);
  process.Look(kBegin + kMs);
  CHECK(thread.timer.is_armed() == HasKernelTimers());
}

TEST_CASE("while no signal may be sent, a thread that runs has a row with the reason") {
  AskedProcess process;
  SampledThread* const armed = HasKernelTimers() ? &process.AddArmed() : &process.Add(OwnTid());
  process.control.signal = 0;
  process.asker.UpdateTimers(true);
  CHECK_FALSE(armed->timer.is_armed());
  process.Shown(*armed).Run(kMs);
  const Answers& answers = process.Look(kBegin + kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kReason});
  CHECK(answers[0].problem == StackProblem::kSignalInUse);
  CHECK(process.drops(DropReason::kSignalInUse) == 1);
}

TEST_CASE("a thread that is filtered out is not looked at, and the profile is told if it has rows") {
  AskedProcess process;
  SampledThread& with_rows = process.AddWaiting(kBegin);
  SampledThread& without = process.Add();
  with_rows.selected = without.selected = false;
  const int readings = process.Shown(with_rows).clock_readings;
  const Answers& answers = process.Look(kBegin + kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kFilteredOut});
  CHECK(answers[0].thread == &with_rows);
  CHECK(process.Shown(with_rows).clock_readings == readings);
  CHECK(process.Shown(without).clock_readings == 0);
  with_rows.cpu = {};  // as AnswerWriter leaves it
  CHECK(process.Look(kBegin + 2 * kMs).empty());
}

TEST_CASE("a thread that slept while it was filtered out has a row again afterwards") {
  AskedProcess process;
  SampledThread& thread = process.AddWaiting(kBegin);
  const bool was_shown = GENERATE(false, true);
  if (was_shown) REQUIRE(KindsOf(process.Look(kBegin + 10 * kMs)) == Kinds{Kind::kWaiting});
  thread.selected = false;
  REQUIRE(KindsOf(process.Look(kBegin + 11 * kMs)) == Kinds{Kind::kFilteredOut});
  thread.cpu = {};  // as AnswerWriter leaves it
  thread.selected = true;
  const Answers& answers = process.Look(kBegin + 20 * kMs);
  REQUIRE(KindsOf(answers) == Kinds{Kind::kWaiting});
  CHECK(IsAt(answers[0].time_ns, kBegin + 20 * kMs));
}

}  // namespace
}  // namespace geckoprof
