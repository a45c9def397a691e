// The three phases of a look together, as ThreadSampler calls them, on a thread with a known past.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sampler/answer_collector.h"
#include "sampler/answer_writer.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_asker.h"
#include "scripted_thread_view.h"

namespace geckoprof {
namespace {

// What a thread really did: it runs and waits in turn.
class Past {
 public:
  struct Period {
    int64_t begin_ns, end_ns;
    bool waits;
  };
  Past(uint32_t seed, int64_t length_ns) {
    std::mt19937 random(seed);
    // Most bursts and waits are short, and some are longer than a look.
    const auto length = [&] { return static_cast<int64_t>(kUs << random() % 16); };
    for (bool waits = seed % 2 == 0; End() < kBegin + length_ns; waits = !waits) Add(length(), waits);
    if (!periods_.back().waits) Add(30 * kMs, true);
    Add(50 * kMs, false);
    Add(30 * kMs, true);
  }
  int64_t End() const { return periods_.empty() ? kBegin : periods_.back().end_ns; }
  const Period& At(int64_t time_ns) const {
    const auto is_before = [](const Period& period, int64_t time) { return period.end_ns < time; };
    const auto at = std::lower_bound(periods_.begin(), periods_.end(), time_ns, is_before);
    return at != periods_.end() ? *at : periods_.back();
  }
  size_t IndexAt(int64_t time_ns) const { return static_cast<size_t>(&At(time_ns) - periods_.data()); }
  int64_t CpuAt(int64_t time_ns) const {
    int64_t cpu_ns = 0;
    for (const Period& period : periods_) {
      if (!period.waits) cpu_ns += std::clamp<int64_t>(time_ns - period.begin_ns, 0, period.end_ns - period.begin_ns);
    }
    return cpu_ns;
  }
  // The times at which the CPU clock reaches a whole millisecond.
  std::vector<int64_t> Ticks() const {
    std::vector<int64_t> ticks;
    int64_t cpu_ns = 0;
    for (const Period& period : periods_) {
      if (period.waits) continue;
      const int64_t before_ns = cpu_ns;
      cpu_ns += period.end_ns - period.begin_ns;
      for (int64_t tick_ns = (before_ns / kMs + 1) * kMs; tick_ns <= cpu_ns; tick_ns += kMs) {
        ticks.push_back(period.begin_ns + tick_ns - before_ns);
      }
    }
    return ticks;
  }
  const std::vector<Period>& periods() const { return periods_; }

  // Each wait has a place of its own, and one of these causes.
  static WaitCause CauseOf(size_t index) { return static_cast<WaitCause>(1 + index % 9); }

 private:
  void Add(int64_t length_ns, bool waits) { periods_.push_back({End(), End() + length_ns, waits}); }

  std::vector<Period> periods_;
};

struct SampledProcess : ScriptedProcess {
  explicit SampledProcess(const Past* past_in) : past(*past_in) {
    setting.any_stacks = true;  // of labels
    header.heartbeat_ns = kBegin;
    samples.BeginTick(kBegin);
    thread.slot->labels.Push("label", nullptr, 0, Shown(thread).stack.data());
    asker.UpdateTimers(true);
  }
  void Look(int64_t now_ns) {
    ScriptedThread& shown = Shown(thread);
    const Past::Period& period = past.At(now_ns);
    if (shown.clock_readings == 0) first_cpu_ns = past.CpuAt(now_ns);
    shown.cpu_ns = last_cpu_ns = past.CpuAt(now_ns);
    shown.state = ScriptedThread::State::kRunning;
    if (period.waits) {
      shown.BlockAt(static_cast<int>(past.IndexAt(now_ns)));
      shown.wait.cause = Past::CauseOf(past.IndexAt(now_ns));
    }
    view.now_ns = now_ns;
    asker.BeginLook(now_ns);
    collector.TakeTicks(answers);
    REQUIRE(asker.LookOn(answers));
    if (asker.outcome().requests > 0) FillIn(*thread.pending, now_ns + kUs / 2);
    answered += asker.outcome().requests;
    collector.TakeRequests(asker.outcome().requests, now_ns, answers);
    REQUIRE(writer.Write(answers, false));
    collector.GiveBack(answers);
    blocked.Clear();
    answers.clear();
    asker.EndLook();
  }
  // Looks as often as the sampler would. `may_arm`: the thread gets a timer.
  void LookAtAll(bool may_arm) {
    if (!may_arm) thread.arm_again_ns = INT64_MAX;
    const std::vector<int64_t> times = past.Ticks();
    auto tick = times.begin();
    int64_t look_ns = kBegin + kUs;
    while (look_ns < past.End()) {
      for (; tick != times.end() && *tick <= look_ns; ++tick) {
        if (thread.timer.is_armed()) answered += Tick(thread, *tick) != nullptr;
      }
      Look(look_ns);
      look_ns += asker.outcome().any_to_ask || asker.outcome().ran_unarmed ? kMs : 10 * kMs;
    }
  }

  const Past& past;
  StackBuilder stacks{&modules};
  ThreadAsker asker{&setting, {&list, &modules, &view, &pool, &ticks, &blocked}};
  AnswerCollector collector{&setting, {&list, &view, &pool, &ticks, &cycles}};
  AnswerWriter writer{&setting, {&samples, &modules, &list, &stacks, &view, &cycles}};
  SampledThread& thread = Add(OwnTid());
  Answers answers;
  int64_t first_cpu_ns = 0, last_cpu_ns = 0;
  uint32_t answered = 0;  // ticks and requests
};

TEST_CASE("the rows of a thread tell what it did") {
  const bool is_armed = GENERATE(false, true);
  if (is_armed && !HasKernelTimers()) return;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed << ", armed " << is_armed);
    const Past past(seed, 300 * kMs);
    SampledProcess process(&past);
    process.LookAtAll(is_armed);
    REQUIRE(process.thread.timer.is_armed() == is_armed);

    const ProcessProfile profile = ReadBack(process.test);
    REQUIRE(profile.threads.size() == 1);
    int64_t before_ns = 0, cpu_ns = 0;
    uint32_t running = 0;
    std::vector<int> rows_of_period(past.periods().size());
    for (const SampleRow& row : profile.threads[0].samples) {
      CHECK(row.time_ns > before_ns);
      before_ns = row.time_ns;
      const Past::Period& period = past.At(row.time_ns);
      if (row.state == SampleState::kRunning) {
        cpu_ns += std::max<int64_t>(row.cpu_delta_ns, 0);
        if (row.stack == kNone) {
          // Between two looks a thread without a timer has a gap, which the reader shows.
          CHECK_FALSE(is_armed);
          continue;
        }
        ++running;
        if (!period.waits) continue;
        // A request is answered a moment after its look.
        CHECK(row.time_ns - period.begin_ns < (is_armed ? 1 : 2 * kUs));
        continue;
      }
      CHECK(row.cpu_delta_ns <= 0);
      if (row.stack == kNone) continue;  // the place of a short wait is a guess
      CHECK(period.waits);
      CHECK(row.cause == Past::CauseOf(past.IndexAt(row.time_ns)));
      CHECK(row.time_ns - period.begin_ns < 10 * kMs + 2 * kUs);
      ++rows_of_period[past.IndexAt(row.time_ns)];
    }
    CHECK(running == process.answered);
    // All of the CPU time is shown but the part since the last tick, which is the same at each end.
    CHECK(std::abs(process.last_cpu_ns - process.first_cpu_ns - cpu_ns) <= (is_armed ? kMs : 2 * kMs));
    for (size_t i = 0; i < past.periods().size(); ++i) {
      const Past::Period& period = past.periods()[i];
      CHECK(rows_of_period[i] <= 1);
      if (period.waits && period.end_ns - period.begin_ns >= 21 * kMs) CHECK(rows_of_period[i] == 1);
    }
    CHECK(process.drops(DropReason::kMovedWhileRead) == 0);
  }
}

}  // namespace
}  // namespace geckoprof
