// This benchmark measures the cost of tick sources for the sampler. It takes the place of the sampler: it ticks each
// millisecond, and measures each call of TickSources::Tick. The floor is the same loop with no source.
//
//   ProcessCounters    what the process uses: the sampler compares two times, and wakes a thread every 10 ms or less
//   often AskedCounters      a counter that is asked for at each tick: the sampler wakes a thread at each
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "asked_counters/asked_counters.h"
#include "baseprofiler/base_profiler.h"
#include "geckoprof/base/clock.h"
#include "process_counters/own_process_counters.h"
#include "sampler/tick_sources.h"

namespace geckoprof {
namespace {

constexpr int kRounds = 5, kTicks = 800;

struct Cost {
  double mean_ns, median_ns;
};

// Ticks each ms while the thread uses its core in between, as in a program that runs. The slowest two percent of the
// ticks are left out, because the thread was preempted in them.
Cost MeasureRound(TickSources& sources) {
  std::vector<int64_t> times;
  int64_t due_ns = MonotonicNs();
  for (int tick = 0; tick < kTicks; ++tick) {
    due_ns += kNsPerMs;
    while (MonotonicNs() < due_ns) {
    }
    const int64_t begin_ns = MonotonicNs();
    sources.Tick(begin_ns);
    times.push_back(MonotonicNs() - begin_ns);
  }
  std::sort(times.begin(), times.end());
  times.resize(times.size() - times.size() / 50);
  double sum = 0;
  for (const int64_t time : times) sum += static_cast<double>(time);
  return {sum / static_cast<double>(times.size()), static_cast<double>(times[times.size() / 2])};
}

// Returns the round whose mean is the median of all.
Cost Measure(TickSources& sources) {
  std::vector<Cost> rounds;
  for (int round = 0; round < kRounds; ++round) rounds.push_back(MeasureRound(sources));
  std::sort(rounds.begin(), rounds.end(), [](const Cost& a, const Cost& b) { return a.mean_ns < b.mean_ns; });
  return rounds[kRounds / 2];
}

void Print(const char* name, const Cost& cost, const Cost& floor) {
  std::printf("%s | mean %.0f ns | median %.0f ns | above the floor %.0f ns\n", name, cost.mean_ns, cost.median_ns,
              cost.mean_ns - floor.mean_ns);
}

struct Sources {
  std::atomic<int32_t> threads[TickSources::kMostThreads] = {};
  std::atomic<int64_t> cpu_ns{0};
  TickSources sources{threads, &cpu_ns};
};

}  // namespace
}  // namespace geckoprof

int main() {
  using namespace geckoprof;
  static Sources none, process, asked;
  static OwnProcessCounters process_counters(&process.sources);
  static AskedCounters asked_counters(&asked.sources);
  std::atomic<int64_t> value{0};
  geckoprof_asked_counter counter = GECKOPROF_ASKED_COUNTER("value", "Test", "", [](void* user, int64_t* answer) {
    *answer = static_cast<std::atomic<int64_t>*>(user)->fetch_add(1);
    return 1;
  });
  counter.user = &value;
  uint64_t id = 0;
  (void)asked_counters.Register(counter, id);
  none.sources.Update(1, {});
  const Cost floor = Measure(none.sources);
  Print("no source", floor, floor);
  process.sources.Update(1, {});
  Print("process counters", Measure(process.sources), floor);
  process.sources.Update(0, {});
  asked.sources.Update(1, {});
  Print("one asked counter", Measure(asked.sources), floor);
  std::printf("it was called at %.1f %% of the ticks\n", 100.0 * static_cast<double>(value) / (kRounds * kTicks));
  asked.sources.Update(0, {});
  process.sources.AwaitThreads();
  asked.sources.AwaitThreads();
  return 0;
}
