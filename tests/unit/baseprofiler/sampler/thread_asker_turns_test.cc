#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "asked_process.h"
#include "geckoprof/base/clock.h"
#include "sampler/thread_asker.h"

namespace geckoprof {
namespace {

using Kind = Answer::Kind;
using Kinds = std::vector<Kind>;
using State = BlockedThreadReader::State;

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
