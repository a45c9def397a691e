#include "sampler/thread_asker.h"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "geckoprof/base/clock.h"
#include "recording/thread_slots.h"
#include "scripted_thread_view.h"
#include "signal/sampling_signal.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

SamplerControl g_control;
constexpr KernelSignalSet kUrg = SignalBit(SIGURG);
constexpr KernelSignalSet kWinch = SignalBit(SIGWINCH);

struct Thread {
  KernelSignalSet blocked;
  uint32_t idle_looks = 0;
};

// The signal in use after a tick in which these threads were there.
int UsedWith(const std::vector<Thread>& wanted, SignalChoice& choice, int64_t now_ns, bool any_blocked = true) {
  static ThreadSlot slots[8];
  std::vector<std::unique_ptr<SampledThread>> threads;
  for (const Thread& thread : wanted) {
    ThreadSlot& slot = slots[threads.size()];
    slot.blocked_signals.store(thread.blocked);
    threads.push_back(std::make_unique<SampledThread>());
    threads.back()->slot = &slot;
    threads.back()->idle_looks = thread.idle_looks;
  }
  threads.push_back(std::make_unique<SampledThread>());  // of which nothing is known
  if (any_blocked) choice.NoteSignalBlocked();
  choice.Choose(threads, g_control.signal.load() == 0, now_ns);
  return SamplingSignal::Current();
}

TEST_CASE("the signal that fewer of the running threads have blocked is used") {
  struct Case {
    std::vector<Thread> threads;
    int used;
  };
  const Case cases[] = {
      {{{0}, {0}}, SIGURG},
      {{{kUrg}, {0}}, SIGWINCH},
      {{{kUrg | kWinch}}, SIGURG},
      {{{kUrg}, {kWinch}}, SIGURG},
      {{{kUrg}, {kUrg}, {kWinch}}, SIGWINCH},
      {{{kUrg}, {kUrg, 1}, {kWinch}}, SIGURG},
      {{{kUrg}, {kWinch, 1}}, SIGWINCH},
      {{{kUrg, 1}}, SIGURG},
  };
  for (const Case& c : cases) {
    INFO("case " << &c - cases);
    CHECK(StatusInChild([&] {
            SamplingSignal::Install(&g_control);
            SignalChoice choice;
            FORKED_REQUIRE(UsedWith(c.threads, choice, 1, false) == SIGURG);
            FORKED_REQUIRE(UsedWith(c.threads, choice, 1) == c.used);
            return 0;
          }) == 0);
  }
}

TEST_CASE("the signal changes once in a while only") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          SignalChoice choice;
          FORKED_REQUIRE(UsedWith({{kUrg}}, choice, 1) == SIGWINCH);
          FORKED_REQUIRE(UsedWith({{kWinch}}, choice, SignalChoice::kPauseNs) == SIGWINCH);
          FORKED_REQUIRE(UsedWith({{kWinch}}, choice, 1 + SignalChoice::kPauseNs) == SIGURG);
          return 0;
        }) == 0);
}

TEST_CASE("where nothing may be sent with the signal in use, the other one is used once it is free") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          struct sigaction interrupts_calls = {};
          interrupts_calls.sa_handler = [](int) {};
          FORKED_REQUIRE(SamplingSignal::NoteHidden(SIGURG));  // so it is not given to the program
          FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &interrupts_calls, nullptr) == 0);
          FORKED_REQUIRE(g_control.signal.load() == 0);
          SignalChoice choice;
          FORKED_REQUIRE(UsedWith({{0}}, choice, 1) == SIGWINCH && g_control.signal.load() == SIGWINCH);
          struct sigaction seen = {};
          FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0);
          FORKED_REQUIRE(seen.sa_handler == interrupts_calls.sa_handler);
          return 0;
        }) == 0);
}

TEST_CASE("of a thread that blocked the signal past us the kernel is asked") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &kUrg, nullptr, sizeof(kUrg));
          std::vector<std::unique_ptr<SampledThread>> threads;
          threads.push_back(std::make_unique<SampledThread>());
          threads.back()->tid = ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid)));
          threads.back()->is_signal_blocked = true;
          SignalChoice choice;
          choice.NoteSignalBlocked();
          choice.Choose(threads, false, 1);
          FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
          return 0;
        }) == 0);
}

}  // namespace

// The library's own definition needs most of base.
__thread ThreadSlot* ThreadSlots::own_ = nullptr;

namespace {

using Kind = Answer::Kind;
using Kinds = std::vector<Kind>;
using State = BlockedThreadReader::State;

// A process with the first phase of its looks.
struct AskedProcess : ScriptedProcess {
  AskedProcess() { asker.UpdateTimers(true); }

  // A look without its end. The end may change the sampling signal, and it removes threads.
  const Answers& Look(int64_t now_ns) {
    blocked.Clear();
    answers.clear();
    view.now_ns = now_ns;
    asker.BeginLook(now_ns);
    REQUIRE(asker.LookOn(answers));
    return answers;
  }
  // Looks as often as it takes until no thread counts as new.
  void LookAtNew(int64_t now_ns) {
    Look(now_ns);
    Look(now_ns + kMs);
  }
  // Does what the later phases do with a request that was answered.
  void Answer(SampledThread& thread) {
    CapturePool::Release(thread.pending);
    thread.SetPending(nullptr, header);
    WriteFirstRow(thread, view.now_ns);
  }
  // Adds the test's own thread, runs it, and looks at it until it has a timer.
  SampledThread& AddArmed() {
    SampledThread& thread = Add(OwnTid());
    WriteFirstRow(thread);
    Shown(thread).Run(kMs);
    Look(kBegin);
    REQUIRE(thread.timer.is_armed());
    return thread;
  }
  // Adds a thread that has a row and waits since `time_ns`.
  SampledThread& AddWaiting(int64_t time_ns, int place = 1) {
    SampledThread& thread = Add();
    WriteFirstRow(thread);
    Shown(thread).Run(kMs);
    Shown(thread).BlockAt(place);
    CHECK(Look(time_ns).empty());
    REQUIRE(thread.wait.is_open());
    return thread;
  }

  ThreadAsker asker{&setting, {&list, &modules, &view, &pool, &ticks, &blocked}};
  Answers answers;
};

// The time from the begin of a look to its reading of a thread's clock.
bool IsAt(int64_t time_ns, int64_t look_ns) { return time_ns >= look_ns && time_ns < look_ns + 10 * kUs; }

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

TEST_CASE("if there are many threads, those that are idle for long take turns, and the others do not") {
  const int count = GENERATE(32, 33, 41);
  constexpr int kLongIdle = 8, kTurns = 4;
  AskedProcess process;
  std::vector<SampledThread*> threads;
  for (int i = 0; i < count; ++i) {
    threads.push_back(&process.Add());
    process.WriteFirstRow(*threads.back());
    process.Shown(*threads.back()).BlockAt(1);
  }
  SampledThread& busy = *threads[7];
  const auto look = [&](int ms) {
    process.Shown(busy).cpu_ns += kMs;
    process.Look(kBegin + ms * kMs);
  };
  for (int ms = 0; ms < kLongIdle; ++ms) look(ms);
  std::vector<int> before;
  for (SampledThread* const thread : threads) before.push_back(process.Shown(*thread).clock_readings);
  int most_in_a_look = 0;
  for (int ms = 0; ms < kTurns; ++ms) {
    int readings = 0;
    for (SampledThread* const thread : threads) readings -= process.Shown(*thread).clock_readings;
    look(kLongIdle + ms);
    for (SampledThread* const thread : threads) readings += process.Shown(*thread).clock_readings;
    most_in_a_look = std::max(most_in_a_look, readings);
  }
  std::set<int> looks;  // at each thread
  for (int i = 0; i < count; ++i) {
    if (threads[i] != &busy) looks.insert(process.Shown(*threads[i]).clock_readings - before[i]);
  }
  CHECK(looks == std::set<int>{count > 32 ? 1 : kTurns});
  CHECK(process.Shown(busy).clock_readings - before[7] == kTurns);
  CHECK(most_in_a_look <= (count > 32 ? count / kTurns + 2 : count));
}

TEST_CASE("a thread that takes turns and runs again is asked at its turn, and then at each look") {
  AskedProcess process;
  std::vector<SampledThread*> threads;
  for (int i = 0; i < 40; ++i) {
    threads.push_back(&process.Add());
    process.WriteFirstRow(*threads.back());
    process.Shown(*threads.back()).BlockAt(1);
  }
  for (int ms = 0; ms < 12; ++ms) process.Look(kBegin + ms * kMs);
  process.Shown(*threads[5]).cpu_ns += kMs;
  int looks = 0;
  do process.Look(kBegin + (12 + looks++) * kMs);
  while (threads[5]->idle_looks > 0 && looks < 10);
  CHECK(looks <= 4);
  CHECK(threads[5]->idle_looks == 0);
  process.Shown(*threads[5]).cpu_ns += kMs;
  process.Look(kBegin + 20 * kMs);
  CHECK(threads[5]->idle_looks == 0);
}

// The sampler's sleep depends on the outcome of a look.
TEST_CASE("a look says what its threads did") {
  struct Flags {
    bool to_ask, unarmed, ran_unarmed;
    bool operator==(const Flags&) const = default;
  };
  AskedProcess process;
  const auto look = [&](int64_t ms) -> Flags {
    process.Look(kBegin + ms * kMs);
    const ThreadAsker::Outcome& outcome = process.asker.outcome();
    CHECK(outcome.requests == 0);
    CHECK_FALSE(outcome.main_has_ended);
    return {outcome.any_to_ask, outcome.any_unarmed, outcome.ran_unarmed};
  };
  SECTION("no thread") { CHECK(look(0) == Flags{false, false, false}); }
  SECTION("a thread without a timer") {
    SampledThread& thread = process.Add();
    process.Shown(thread).BlockAt(1);
    CHECK(look(0) == Flags{true, false, false});  // it is new
    process.WriteFirstRow(thread);
    process.Shown(thread).cpu_ns += kMs;
    CHECK(look(1) == Flags{true, true, true});
    for (int64_t ms = 2; ms < 9; ++ms) CHECK(look(ms) == Flags{false, true, true});
    CHECK(look(9) == Flags{false, true, false});
    process.Shown(thread).cpu_ns += kMs;
    CHECK(look(10) == Flags{true, true, true});
    thread.selected = false;
    process.Shown(thread).cpu_ns += kMs;
    CHECK(look(11) == Flags{false, false, false});
  }
  SECTION("a thread with a timer") {
    if (!HasKernelTimers()) return;
    SampledThread& thread = process.AddArmed();
    // AnswerCollector notes the clock after a tick.
    const auto take_tick = [&] { thread.cpu_baseline_ns = process.Shown(thread).cpu_ns; };
    CHECK(look(0) == Flags{false, false, false});
    take_tick();
    CHECK(look(1) == Flags{false, false, false});
    process.Shown(thread).cpu_ns += 1;
    CHECK(look(2) == Flags{false, false, false});
    take_tick();
    // One thread without a timer decides for all.
    process.WriteFirstRow(process.Add());
    CHECK(look(3) == Flags{false, true, true});
  }
}

TEST_CASE("if many threads take turns, those without a timer count at each look") {
  AskedProcess process;
  for (int i = 0; i < 40; ++i) {
    SampledThread& thread = process.Add();
    process.WriteFirstRow(thread);
    process.Shown(thread).BlockAt(1);
    if (i > 0) thread.selected = false;
  }
  for (int64_t ms = 0; ms < 20; ++ms) {
    process.Look(kBegin + ms * kMs);
    CHECK(process.asker.outcome().any_unarmed);
  }
}

TEST_CASE("the end of the main thread is noted") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  process.WriteFirstRow(thread);
  thread.arm_again_ns = INT64_MAX;
  thread.is_main = GENERATE(true, false);
  thread.selected = GENERATE(true, false);
  process.Shown(thread).Run(kMs);
  process.Shown(thread).state = State::kGone;
  CHECK(process.Look(kBegin).empty() == thread.selected);  // the row of a thread that was filtered out
  CHECK(process.asker.outcome().main_has_ended == thread.is_main);
}

TEST_CASE("a thread that runs takes the place of one that sleeps, if all places are in use") {
  if (!HasKernelTimers()) return;
  AskedProcess process;
  SampledThread& idle = process.AddArmed();
  idle.cpu_baseline_ns = process.Shown(idle).cpu_ns;
  for (TickedThread& place : process.table->threads) {
    if (place.tid == 0) place.tid = INT32_MAX;
  }
  SampledThread& runs = process.Add();  // there is no such thread, so it gets the place but no timer
  process.WriteFirstRow(runs);
  process.Shown(runs).BlockAt(1);
  process.Shown(idle).BlockAt(1);
  const bool sleeps_for_long = GENERATE(false, true);
  idle.idle_looks = sleeps_for_long ? 7 : 6;  // before this look
  process.Shown(runs).cpu_ns += kMs;
  process.Look(kBegin + kMs);
  CHECK(idle.timer.is_armed() == !sleeps_for_long);
  CHECK(idle.slot->has_timer == !sleeps_for_long);
}

TEST_CASE("the sampler takes in no signal for a thread that has a slot which is not known yet") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  process.WriteFirstRow(thread);
  thread.slot = nullptr;
  process.control.Announce();  // the list has not looked since
  process.Shown(thread).Run(kMs);
  CHECK(process.Look(kBegin).empty());
  CHECK_FALSE(thread.timer.is_armed());
  CHECK(thread.pending == nullptr);
  CHECK(process.drops(DropReason::kAnswerPending) == 1);
  CHECK(process.asker.outcome().any_to_ask);
}

TEST_CASE("a thread that has ended is removed at the end of the look") {
  AskedProcess process;
  SampledThread& waits = process.AddWaiting(kBegin);
  SampledThread& ends = process.Add();
  SampledThread& is_asked = process.Add();
  process.Shown(ends).cpu_ns = -ESRCH;
  process.Shown(is_asked).Run(kMs);  // the signal fails
  CHECK(process.Look(kBegin + kMs).empty());
  CHECK(process.drops(DropReason::kThreadEnded) == 1);
  CHECK(process.list.threads().size() == 3);
  process.asker.EndLook();
  REQUIRE(process.list.threads().size() == 1);
  CHECK(process.list.threads()[0].get() == &waits);
}

TEST_CASE("a look goes on where the room for copies ended") {
  AskedProcess process;
  process.setting.any_stacks = true;
  for (int i = 0; i < 5; ++i) {
    SampledThread& thread = process.Add();
    ScriptedThread& shown = process.Shown(thread);
    shown.stack.resize(300 * 1024);
    shown.BlockAt(1);
    thread.stack = {reinterpret_cast<uintptr_t>(shown.stack.data()),
                    reinterpret_cast<uintptr_t>(shown.stack.data() + shown.stack.size())};
  }
  process.asker.BeginLook(kBegin);
  int parts = 1;
  size_t answers = 0;
  for (;; ++parts) {
    Answers part;
    const bool is_done = process.asker.LookOn(part);
    for (const Answer& answer : part) CHECK(answer.copy.size_bytes == 300 * 1024);
    answers += part.size();
    process.blocked.Clear();
    if (is_done) break;
  }
  CHECK(parts == 3);
  CHECK(answers == 5);
  for (const auto& [tid, shown] : process.view.threads) CHECK(shown.place_readings == 2);
}

TEST_CASE("a thread with a timer that has no ticks is checked for a mask, and its time is shown") {
  if (!HasKernelTimers()) return;
  AskedProcess process;
  SampledThread& thread = process.AddArmed();
  ScriptedThread& shown = process.Shown(thread);
  thread.cpu_baseline_ns = shown.cpu_ns;
  shown.Run(9 * kMs);
  shown.blocked_signals = SignalBit(SIGURG);
  CHECK(process.Look(kBegin + 10 * kMs).empty());  // its ticks may be about to come
  shown.Run(kMs);
  SECTION("it has the signal blocked") {
    const Answers& answers = process.Look(kBegin + 11 * kMs);
    REQUIRE(KindsOf(answers) == Kinds{Kind::kReason});
    CHECK(answers[0].problem == StackProblem::kSignalBlocked);
    CHECK(process.drops(DropReason::kSignalBlocked) == 1);
    CHECK(thread.cpu_baseline_ns == shown.cpu_ns);
  }
  SECTION("it is inside a handler of ours") {
    shown.blocked_signals = kEverySignal;
    CHECK(process.Look(kBegin + 11 * kMs).empty());
  }
  SECTION("it has not") {
    shown.blocked_signals = SignalBit(SIGWINCH);
    CHECK(process.Look(kBegin + 11 * kMs).empty());
  }
}

TEST_CASE("a request without an answer is explained by the thread's mask, and otherwise sent again") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  process.control.busy_forking_tid = OwnTid().ToNumber();  // no timer
  process.Look(kBegin);
  process.control.busy_forking_tid = 0;
  thread.arm_again_ns = INT64_MAX;
  ScriptedThread& shown = process.Shown(thread);
  const auto run_until = [&](int64_t ms) -> const Answers& {
    shown.Run(kMs);
    return process.Look(kBegin + ms * kMs);
  };
  CHECK(run_until(1).empty());
  REQUIRE(thread.pending != nullptr);
  CHECK(run_until(3).empty());
  CHECK(process.drops(DropReason::kAnswerPending) == 1);
  SECTION("it has the signal blocked") {
    shown.blocked_signals = SignalBit(SIGURG);
    CHECK(run_until(5).empty());
    const Answers& answers = run_until(6);
    REQUIRE(KindsOf(answers) == Kinds{Kind::kReason});
    CHECK(answers[0].problem == StackProblem::kSignalBlocked);
    CHECK(thread.pending != nullptr);
  }
  SECTION("the signal got lost") {
    for (int64_t ms = 5; ms < 40; ++ms) CHECK(run_until(ms).empty());
    CHECK(thread.resend_ns > kBegin + 21 * kMs);
    CHECK(thread.pending != nullptr);
  }
  CHECK(process.asker.outcome().any_to_ask);
}

TEST_CASE("threads beyond the number of buffers are counted") {
  AskedProcess process;
  SampledThread& thread = process.Add(OwnTid());
  std::vector<CaptureBuffer*> taken;
  while (CaptureBuffer* const buffer = process.pool.Acquire(0)) {
    buffer->word = MakeCaptureWord(1, CaptureState::kRequested);
    taken.push_back(buffer);
  }
  process.Shown(thread).Run(kMs);
  CHECK(process.Look(kBegin).empty());
  CHECK(thread.pending == nullptr);
  CHECK(process.drops(DropReason::kNoBuffer) == 1);
  CHECK(process.header.samples_asked == 1);
  CHECK(process.asker.outcome().requests == 0);
}

}  // namespace
}  // namespace geckoprof
