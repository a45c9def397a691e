#include "process_counters/own_process_counters.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "fake_base.h"
#include "geckoprof/base/clock.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

// The sources of a recording, with the test as the sampler.
struct Recorded {
  FakeBase base;
  std::atomic<int32_t> threads[TickSources::kMostThreads] = {};
  std::atomic<int64_t> cpu_ns{0};
  TickSources sources{threads, &cpu_ns};
  OwnProcessCounters counters{&sources};

  ~Recorded() {
    sources.Update(0, {});
    sources.AwaitThreads();
  }
  // Ticks until the condition is true.
  template <typename Condition>
  bool TickUntil(const Condition& condition) {
    return Soon([&] {
      sources.Tick(MonotonicNs());
      return condition();
    });
  }
  int64_t ValueOf(const char* name) {
    const FakeBase::Counter* const counter = base.FindCounter(name);
    return counter != nullptr ? counter->value() : 0;
  }
};

TEST_CASE("what the process uses is added to counters that are those of the recorder") {
  Recorded recorded;
  recorded.sources.Update(1, {});
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  REQUIRE(recorded.TickUntil([&] { return recorded.ValueOf("CPU") > 20 * kNsPerMs; }));
  CHECK(recorded.ValueOf("CPU") <= 2 * (CurrentThreadCpuNs() - begin_cpu_ns) + 20 * kNsPerMs);
  const FakeBase::Counter* const cpu = recorded.base.FindCounter("CPU");
  CHECK(cpu->unit == "ms/1000000");
  CHECK(cpu->flags == GECKOPROF_COUNTER_RATE);
  CHECK(cpu->period_ns > 0);
  constexpr size_t kBytes = 32 << 20;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  REQUIRE(recorded.TickUntil([&] { return recorded.base.FindCounter("Resident memory") != nullptr; }));
  const FakeBase::Counter* const resident = recorded.base.FindCounter("Resident memory");
  CHECK(recorded.TickUntil([&] { return resident->value() - resident->first > static_cast<int64_t>(kBytes / 2); }));
  munmap(memory, kBytes);
  recorded.sources.Update(0, {});
  CHECK(cpu->has_ended);
  CHECK(resident->has_ended);
}

TEST_CASE("each recording has counters of its own") {
  Recorded recorded;
  for (int64_t recording = 1; recording <= 3; ++recording) {
    recorded.sources.Update(recording, {});
    REQUIRE(recorded.TickUntil([&] {
      const FakeBase::Counter* const cpu = recorded.base.FindCounter("CPU");
      return cpu != nullptr && !cpu->has_ended && cpu->value() > kNsPerMs;
    }));
    recorded.sources.Update(recording, {});  // the same one
    CHECK_FALSE(recorded.base.FindCounter("CPU")->has_ended);
    recorded.sources.Update(0, {});
    CHECK(recorded.base.FindCounter("CPU")->has_ended);
  }
}

TEST_CASE("a process for which a recorder counts has no thread for it") {
  Recorded recorded;
  recorded.sources.Update(1, {.is_counted_by_recorder = true});
  for (int i = 0; i < 100; ++i) recorded.sources.Tick(MonotonicNs());
  for (const auto& tid : recorded.threads) CHECK(tid == 0);
  CHECK(recorded.base.counters.empty());
}

TEST_CASE("the thread ends with a recording that has ended by itself, and while the process must be alone") {
  Recorded recorded;
  recorded.sources.Update(1, {});
  REQUIRE(recorded.TickUntil([&] { return recorded.ValueOf("CPU") > 0; }));
  recorded.sources.StepAside();
  CHECK(recorded.threads[0] == 0);
  recorded.sources.StepBack();
  REQUIRE(Soon([&] { return recorded.threads[0] > 0; }));
  const int64_t before = recorded.ValueOf("CPU");
  CHECK(recorded.TickUntil([&] { return recorded.ValueOf("CPU") > before; }));
  recorded.sources.NoteEnded();
  recorded.sources.AwaitThreads();
  CHECK(recorded.threads[0] == 0);
}

}  // namespace
}  // namespace geckoprof
