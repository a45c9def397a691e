#include "asked_counters/asked_counters.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <thread>

#include "fake_base.h"
#include "geckoprof/base/clock.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

// A function of the program.
struct Asked {
  std::atomic<int64_t> value{0};
  std::atomic<int> calls{0}, released{0};
  std::atomic<bool> is_kept{false}, is_in{false};
  int takes_ms = 0;

  static int Ask(void* user, int64_t* value) {
    auto* const self = static_cast<Asked*>(user);
    self->is_in = true;
    ++self->calls;
    while (self->is_kept) sched_yield();
    if (self->takes_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(self->takes_ms));
    *value = self->value;
    self->is_in = false;
    return *value >= 0 ? 1 : 0;
  }
  static void Release(void* user) { ++static_cast<Asked*>(user)->released; }
};

struct Recorded {
  FakeBase base;
  std::atomic<int32_t> threads[TickSources::kMostThreads] = {};
  std::atomic<int64_t> cpu_ns{0};
  TickSources sources{threads, &cpu_ns};
  AskedCounters counters{&sources};
  int64_t now_ns = 1;

  Recorded() { sources.Update(1, {}); }
  ~Recorded() {
    sources.Update(0, {});
    sources.AwaitThreads();
  }
  uint64_t Register(Asked& asked, const char* name, int64_t interval_ns = 0, uint32_t flags = 0) {
    geckoprof_asked_counter counter = GECKOPROF_ASKED_COUNTER(name, "Test", "", &Asked::Ask);
    counter.user = &asked;
    counter.release = &Asked::Release;
    counter.least_interval_ns = interval_ns;
    counter.flags = flags;
    uint64_t id = 0;
    outcome = counters.Register(counter, id);
    return id;
  }
  ProfilerOutcome outcome;
  // Ticks until the condition is true.
  template <typename Condition>
  bool TickUntil(const Condition& condition) {
    return Soon([&] {
      sources.Tick(now_ns = MonotonicNs());
      return condition();
    });
  }
};

TEST_CASE("a function is called at ticks, and its values are written") {
  Recorded recorded;
  Asked asked;
  asked.value = 7;
  const uint64_t id = recorded.Register(asked, "level");
  REQUIRE(id != 0);
  REQUIRE(recorded.TickUntil([&] { return recorded.base.FindCounter("level") != nullptr; }));
  const FakeBase::Counter* const counter = recorded.base.FindCounter("level");
  CHECK(counter->first == 7);
  asked.value = 9;
  CHECK(recorded.TickUntil([&] { return counter->value() == 9; }));
  CHECK(recorded.counters.Remove(id).status == ProfilerStatus::kDone);
  CHECK(counter->has_ended);
  CHECK(asked.released == 1);
  const int calls = asked.calls;
  for (int i = 0; i < 1000; ++i) recorded.sources.Tick(MonotonicNs());
  CHECK(asked.calls == calls);
  CHECK(recorded.counters.Remove(id).status == ProfilerStatus::kUnchanged);
}

TEST_CASE("a function that returns changes has their sum, without the first") {
  Recorded recorded;
  Asked asked;
  asked.value = 3;
  recorded.Register(asked, "growth", 0, GECKOPROF_ASKED_CHANGE);
  REQUIRE(recorded.TickUntil([&] { return asked.calls >= 4; }));
  REQUIRE(recorded.TickUntil([&] { return recorded.base.FindCounter("growth")->value() >= 9; }));
  CHECK(recorded.base.FindCounter("growth")->first == 0);
  CHECK(recorded.base.FindCounter("growth")->value() % 3 == 0);
}

TEST_CASE("a function has a rest between two calls") {
  Recorded recorded;
  Asked often, seldom;
  recorded.Register(often, "often");
  recorded.Register(seldom, "seldom", 3600 * kNsPerSecond);
  REQUIRE(recorded.TickUntil([&] { return often.calls >= 20; }));
  CHECK(seldom.calls == 1);
  CHECK(recorded.base.FindCounter("seldom")->period_ns == 3600 * kNsPerSecond);
  CHECK(recorded.base.FindCounter("often")->period_ns == 10 * kNsPerMs);
}

TEST_CASE("a tick that comes a little early calls the function, and its calls are not more frequent on the whole") {
  Recorded recorded;
  Asked each, often, seldom;
  recorded.Register(seldom, "seldom", 15 * kNsPerMs);
  recorded.Register(often, "often", 10 * kNsPerMs);
  recorded.Register(each, "each");
  const int64_t begin_ns = MonotonicNs() - 10 * kNsPerSecond;
  for (int i = 0; i < 60; ++i) {
    recorded.sources.Tick(begin_ns + i * 10 * kNsPerMs - i % 2 * 100'000);
    REQUIRE(Soon([&] { return each.calls == i + 1 && often.calls == i + 1; }));
  }
  CHECK(seldom.calls >= 38);
  CHECK(seldom.calls <= 41);
}

TEST_CASE("functions that take long take turns with the others") {
  Recorded recorded;
  Asked slow[6], fast;
  for (Asked& one : slow) one.takes_ms = 60;
  for (int i = 0; i < 6; ++i) recorded.Register(slow[i], ("slow " + std::to_string(i)).c_str());
  recorded.Register(fast, "fast");
  CHECK(recorded.TickUntil([&] { return fast.calls >= 3; }));
  for (const Asked& one : slow) CHECK(one.calls >= 2);
}

TEST_CASE("more functions than base has counters are refused, and one that base refuses is reported") {
  std::deque<Asked> asked(512);
  Recorded recorded;
  recorded.base.most_counters = 1;
  for (Asked& one : asked) REQUIRE(recorded.Register(one, "one of many") != 0);
  Asked surplus;
  CHECK(recorded.Register(surplus, "surplus") == 0);
  CHECK(recorded.outcome.status == ProfilerStatus::kRefused);
  CHECK(recorded.TickUntil([&] { return asked.back().calls >= 2; }));
  recorded.sources.Update(0, {});
  const auto& markers = recorded.base.markers;
  CHECK(std::count(markers.begin(), markers.end(), "Counter not read: one of many: there are too many counters") ==
        511);
}

TEST_CASE("the same function is registered once, and its argument is not released then") {
  Recorded recorded;
  Asked asked;
  const uint64_t id = recorded.Register(asked, "one");
  CHECK(recorded.Register(asked, "one") == id);
  CHECK(recorded.outcome.status == ProfilerStatus::kUnchanged);
  CHECK(recorded.Register(asked, "another name") != id);
  CHECK(asked.released == 0);
}

TEST_CASE("functions that take long keep the others waiting only if all callers are in one") {
  Recorded recorded;
  Asked late[3], other;
  for (Asked& one : late) one.is_kept = true;
  recorded.Register(late[0], "late 0");
  recorded.Register(late[1], "late 1");
  recorded.Register(late[2], "late 2");
  recorded.Register(other, "other");
  CHECK(recorded.TickUntil([&] { return late[0].is_in && late[1].is_in && late[2].is_in; }));
  CHECK(recorded.TickUntil([&] { return other.calls >= 5; }));
  for (const Asked& one : late) CHECK(one.calls == 1);
  for (Asked& one : late) one.is_kept = false;
  CHECK(recorded.TickUntil([&] { return late[0].calls >= 5 && late[1].calls >= 5 && late[2].calls >= 5; }));
  CHECK(recorded.base.markers.size() >= 3);  // each was reported
}

TEST_CASE("a removal waits for the call that is under way") {
  Recorded recorded;
  Asked asked;
  asked.is_kept = true;
  const uint64_t id = recorded.Register(asked, "kept");
  REQUIRE(recorded.TickUntil([&] { return asked.is_in.load(); }));
  std::atomic<bool> is_removed{false};
  std::thread remover([&] {
    recorded.counters.Remove(id);
    CHECK_FALSE(asked.is_in);
    CHECK(asked.released == 1);
    is_removed = true;
  });
  for (int i = 0; i < 1000; ++i) sched_yield();
  CHECK_FALSE(is_removed);
  CHECK(asked.released == 0);
  asked.is_kept = false;
  remover.join();
}

TEST_CASE("a function may remove itself and others") {
  Recorded recorded;
  struct Removing {
    AskedCounters* counters;
    std::atomic<uint64_t> own{0}, other{0};
    std::atomic<int> released{0};
  } removing{&recorded.counters};
  Asked other;
  removing.other = recorded.Register(other, "other");
  geckoprof_asked_counter counter = GECKOPROF_ASKED_COUNTER("own", "Test", "", nullptr);
  counter.ask = [](void* user, int64_t*) {
    auto* const self = static_cast<Removing*>(user);
    if (self->own == 0) return 0;
    self->counters->Remove(self->other);
    self->counters->Remove(self->own);
    return 0;
  };
  counter.release = [](void* user) { ++static_cast<Removing*>(user)->released; };
  counter.user = &removing;
  uint64_t id = 0;
  REQUIRE(recorded.counters.Register(counter, id));
  removing.own = id;
  CHECK(recorded.TickUntil([&] { return removing.released == 1 && other.released == 1; }));
}

TEST_CASE("a function of an ended recording may still run, and is called in the next one when it has returned") {
  Recorded recorded;
  Asked late, other;
  late.is_kept = true;
  recorded.Register(late, "late");
  REQUIRE(recorded.TickUntil([&] { return late.is_in.load(); }));
  recorded.Register(other, "other");
  recorded.sources.Update(0, {});
  recorded.sources.Update(2, {});
  CHECK(recorded.TickUntil([&] { return other.calls >= 3; }));
  CHECK(late.calls == 1);
  late.is_kept = false;
  CHECK(recorded.TickUntil([&] { return late.calls >= 2; }));
}

TEST_CASE("no function is called once the process exits, and the exit does not wait for one that takes long") {
  Recorded recorded;
  Asked late, other;
  late.is_kept = true;
  recorded.Register(late, "late");
  recorded.Register(other, "other");
  REQUIRE(recorded.TickUntil([&] { return late.is_in.load(); }));
  recorded.counters.StopForExit();
  const int calls = other.calls;
  for (int i = 0; i < 1000; ++i) recorded.sources.Tick(MonotonicNs());
  CHECK(other.calls == calls);
  late.is_kept = false;
}

TEST_CASE("a function without a value leaves the counter as it is") {
  Recorded recorded;
  Asked asked;
  asked.value = 5;
  recorded.Register(asked, "sometimes");
  REQUIRE(recorded.TickUntil([&] { return recorded.base.FindCounter("sometimes") != nullptr; }));
  asked.value = -1;
  const int calls = asked.calls;
  REQUIRE(recorded.TickUntil([&] { return asked.calls > calls + 3; }));
  CHECK(recorded.base.FindCounter("sometimes")->value() == 5);
}

}  // namespace
}  // namespace geckoprof
