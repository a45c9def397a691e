// What marking costs, beside the floor of the same machine: the same time stamps and one record in a ring of the
// thread's own. Floor and marker take turns; figures are medians of rounds.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/markers.h"
#include "geckoprof/streaming/segment_reader.h"
#include "tests/bench/markers/lttng_peer.h"

namespace {

constexpr int kRounds = 41;
constexpr uint64_t kPerRound = 200'000;

struct Ring {
  static constexpr uint64_t kBytes = 64 * 1024;
  alignas(64) uint8_t bytes[kBytes];
  uint64_t head = 0;
};
Ring g_ring;

uint64_t Cycles() {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t{high} << 32) | low;
}

inline void PutRecord(uint64_t begin, uint64_t end) {
  uint8_t* const to = g_ring.bytes + (g_ring.head & (Ring::kBytes - 1));
  const uint64_t head = 7;
  std::memcpy(to, &head, 8);
  std::memcpy(to + 8, &begin, 8);
  std::memcpy(to + 16, &end, 8);
  std::memcpy(to + 24, &head, 8);
  __atomic_store_n(&g_ring.head, g_ring.head + 32, __ATOMIC_RELEASE);
}

template <typename Body>
double NsEach(const Body& body) {
  const int64_t begin_ns = geckoprof_base_now();
  for (uint64_t i = 0; i < kPerRound; ++i) {
    body();
    asm volatile("" ::: "memory");
  }
  return static_cast<double>(geckoprof_base_now() - begin_ns) / static_cast<double>(kPerRound);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `bar` 0: none.
template <typename Floor, typename Ours>
void Compare(const char* name, double bar, const Floor& floor, const Ours& ours) {
  std::vector<double> floors, times, ratios;
  for (int round = 0; round < kRounds; ++round) {
    floors.push_back(NsEach(floor));
    times.push_back(NsEach(ours));
    ratios.push_back(times.back() / floors.back());
  }
  const double ratio = Median(ratios);
  if (bar == 0) {
    std::printf("%s | %.2f x (%.1f ns, floor %.1f)\n", name, ratio, Median(times), Median(floors));
  } else {
    std::printf("BAR %s | %.2f x (%.1f ns, floor %.1f) | <= %.2f x | %s\n", name, ratio, Median(times), Median(floors),
                bar, ratio <= bar ? "met" : "missed");
  }
}

struct Three : geckoprof::BaseMarkerType<Three> {
  using MS = geckoprof::MarkerSchema;
  static constexpr const char* Name = "Three";
  static constexpr MS::PayloadField PayloadFields[] = {{"a", MS::InputType::Uint64, "A", MS::Format::Integer},
                                                       {"b", MS::InputType::Double, "B", MS::Format::Decimal},
                                                       {"c", MS::InputType::Boolean, "C"}};
};

geckoprof_marker_site g_scope = {sizeof(geckoprof_marker_site), 1 << 8, "scope", nullptr, 0};
volatile uint32_t g_flag = 0;

void Inactive() {
  Compare(
      "inactive marker", 2,
      [] {
        if (__atomic_load_n(&g_flag, __ATOMIC_RELAXED) != 0) PutRecord(1, 2);
      },
      [] {
        if (geckoprof_base_wants_markers()) geckoprof_base_add_instant(&g_scope, geckoprof_base_time());
      });
}

void Active() {
  Compare(
      "scope", 1.15,
      [] {
        const uint64_t begin = Cycles();
        asm volatile("" ::: "memory");
        PutRecord(begin, Cycles());
      },
      [] {
        const geckoprof_time begin = geckoprof_base_wants_markers() ? geckoprof_base_time() : 0;
        asm volatile("" ::: "memory");
        if (begin != 0) geckoprof_base_add_scope(&g_scope, begin, geckoprof_base_time());
      });
  Compare(
      "instant", 1.2,
      [] {
        const uint64_t now = Cycles();
        PutRecord(now, now);
      },
      [] {
        if (geckoprof_base_wants_markers()) geckoprof_base_add_instant(&g_scope, geckoprof_base_time());
      });
  const auto floor_of_instant = [] {
    const uint64_t now = Cycles();
    PutRecord(now, now);
  };
  const auto floor_of_scope = [] {
    const uint64_t begin = Cycles();
    asm volatile("" ::: "memory");
    PutRecord(begin, Cycles());
  };
  // Whose bar is another profiler's, in the same run.
  Compare("text of 16 bytes", 0, floor_of_instant, [] { PROFILER_MARKER_TEXT("text", OTHER, {}, "sixteen bytes ok"); });
  Compare("three typed fields", 1.5, floor_of_scope, [] {
    PROFILER_MARKER(
        "three", OTHER,
        geckoprof::MarkerOptions(geckoprof::MarkerTiming::IntervalUntilNowFrom(geckoprof::TimeStamp::Now())), Three,
        17u, 0.5, true);
  });
  Compare("three typed fields of a scope", 1.5, floor_of_scope, [] {
    AUTO_PROFILER_MARKER("three", OTHER, {}, Three, 17u, 0.5, true);
    asm volatile("" ::: "memory");
  });
  Compare("scope macro", 1.15, floor_of_scope, [] {
    AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER);
    asm volatile("" ::: "memory");
  });
}

// --- two threads at once, and beside a capture ---

// One of several threads that mark. Others see how far it is.
struct alignas(256) Marking {
  std::atomic<uint64_t> progress{0};
  std::vector<double> ns;  // of each stretch in which the others went on too
};

constexpr size_t kStretches = 100;

int64_t CpuNs() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

void StayOn(size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Stretches of 2000 markers until enough of them were beside the others: else the machine had no processor for those.
template <typename Body>
void MarkBeside(Marking& own, const Marking* other, std::atomic<int>& unfinished, const Body& body) {
  constexpr int kParts = 40;
  constexpr uint64_t kPerPart = 50;
  const int64_t latest_ns = geckoprof_base_now() + 1'000'000'000;
  while (unfinished.load(std::memory_order_relaxed) != 0 && geckoprof_base_now() < latest_ns) {
    const uint64_t others = other == nullptr ? 0 : other->progress.load(std::memory_order_relaxed);
    const int64_t begin_cpu_ns = CpuNs();
    const int64_t begin_ns = geckoprof_base_now();
    for (int part = 0; part < kParts; ++part) {
      for (uint64_t i = 0; i < kPerPart; ++i) {
        body();
        asm volatile("" ::: "memory");
      }
      own.progress.store(own.progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    const auto ns = static_cast<double>(geckoprof_base_now() - begin_ns);
    if (other != nullptr && other->progress.load(std::memory_order_relaxed) - others < kParts / 4) continue;
    // Nor in one in which this thread had to wait for its processor; the clock of CPU time itself takes half a us.
    if (ns > 1.1 * static_cast<double>(CpuNs() - begin_cpu_ns) + 1000) continue;
    own.ns.push_back(ns / (kParts * kPerPart));
    if (own.ns.size() == kStretches) unfinished.fetch_sub(1);
  }
}

// ns a marker, where 1 or 2 threads mark; negative: there was not enough of the machine.
template <typename Body>
double NsWith(size_t threads, const Body& body) {
  Marking markings[2];
  std::atomic<int> unfinished{static_cast<int>(threads)};
  std::atomic<size_t> ready{0};
  std::vector<std::thread> all;
  for (size_t i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      StayOn(i);
      for (int warm = 0; warm < 1000; ++warm) body();
      ready.fetch_add(1);
      while (ready.load() < threads) {
      }
      MarkBeside(markings[i], threads == 2 ? &markings[1 - i] : nullptr, unfinished, body);
    });
  }
  for (std::thread& thread : all) thread.join();
  double ns = 0;
  for (size_t i = 0; i < threads; ++i) {
    if (markings[i].ns.size() < kStretches) return -1;
    ns = std::max(ns, Median(markings[i].ns));
  }
  return ns;
}

struct Beside {
  double ratio = 0, alone_ns = 0, both_ns = 0;
};
template <typename Body>
Beside MeasureBeside(const Body& body) {
  std::vector<double> alone, both, ratios;
  for (int round = 0; round < 15; ++round) {
    const double alone_ns = NsWith(1, body);
    const double both_ns = NsWith(2, body);
    if (alone_ns < 0 || both_ns < 0) continue;
    alone.push_back(alone_ns);
    both.push_back(both_ns);
    ratios.push_back(both_ns / alone_ns);
  }
  if (ratios.empty()) return {};
  return {Median(ratios), Median(alone), Median(both)};
}

template <typename Body>
void CompareThreads(const char* name, double bar, const Body& body) {
  const Beside beside = MeasureBeside(body);
  const char* const result = beside.ratio == 0     ? "not measured: no two processors"
                             : beside.ratio <= bar ? "met"
                                                   : "missed";
  std::printf("BAR %s | %.2f x (%.1f ns, alone %.1f) | <= %.2f x | %s\n", name, beside.ratio, beside.both_ns,
              beside.alone_ns, bar, result);
}

// LTTng-UST, which has a buffer a processor, doing the same.
void PeerTwoThreads() {
  const geckoprof::LttngState state = geckoprof::LttngPeerState();
  if (state != geckoprof::LttngState::kTraced) {
    std::printf("peer: LTTng-UST | not measured: %s\n",
                state == geckoprof::LttngState::kNotInstalled ? "LTTng not installed" : "no session traces it");
    return;
  }
  const auto print = [](const char* name, const Beside& ours, const Beside& theirs) {
    std::printf("peer: LTTng-UST, %s | %.2f x (%.1f ns, alone %.1f) | ours take %.2f of that alone, %.2f both\n", name,
                theirs.ratio, theirs.both_ns, theirs.alone_ns, ours.alone_ns / theirs.alone_ns,
                ours.both_ns / theirs.both_ns);
  };
  print("scope, two threads at once", MeasureBeside([] { AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER); }),
        MeasureBeside([] { geckoprof::LttngScope(Cycles()); }));
  print("text, two threads at once", MeasureBeside([] { PROFILER_MARKER_TEXT("text", OTHER, {}, "sixteen bytes ok"); }),
        MeasureBeside([] { geckoprof::LttngText("sixteen bytes ok"); }));
}

std::mutex g_mutex;
void TwoThreads() {
  CompareThreads("scope, two threads at once", 1.1, [] { AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER); });
  CompareThreads("text, two threads at once", 1.1, [] { PROFILER_MARKER_TEXT("text", OTHER, {}, "sixteen bytes ok"); });
  const Beside guarded = MeasureBeside([] {
    const uint64_t begin = Cycles();
    const std::lock_guard<std::mutex> lock(g_mutex);
    PutRecord(begin, Cycles());
  });
  std::printf("contrast: a buffer behind a mutex | %.2f x (%.1f ns, alone %.1f)\n", guarded.ratio, guarded.both_ns,
              guarded.alone_ns);
  PeerTwoThreads();
}

// The 99.9th percentile, in ns, of one marker after the other.
double SlowNs() {
  constexpr size_t kMarkers = 400'000;
  std::vector<uint64_t> cycles(kMarkers);
  const int64_t begin_ns = geckoprof_base_now();
  const uint64_t begin = Cycles();
  for (uint64_t& each : cycles) {
    const uint64_t before = Cycles();
    PROFILER_MARKER_TEXT("beside a capture", OTHER, {}, "sixteen bytes ok");
    each = Cycles() - before;
  }
  const double rate = static_cast<double>(geckoprof_base_now() - begin_ns) / static_cast<double>(Cycles() - begin);
  std::nth_element(cycles.begin(), cycles.begin() + kMarkers * 999 / 1000, cycles.end());
  return static_cast<double>(cycles[kMarkers * 999 / 1000]) * rate;
}

// `capture` is run over and over on another thread.
template <typename Capture>
void BesideCapture(const Capture& capture) {
  std::vector<double> without, with, ratios;
  for (int round = 0; round < 11; ++round) {
    without.push_back(SlowNs());
    std::atomic<bool> done{false};
    std::atomic<int> captures{0};
    std::thread other([&] {
      while (!done.load()) {
        capture();
        captures.fetch_add(1);
      }
    });
    usleep(2000);
    with.push_back(SlowNs());
    done.store(true);
    other.join();
    ratios.push_back(with.back() / without.back());
  }
  const double ratio = Median(ratios);
  std::printf("BAR p99.9 of a marker beside a capture | %.2f x (%.0f ns, without %.0f) | <= 2.00 x | %s\n", ratio,
              Median(with), Median(without), ratio <= 2 ? "met" : "missed");
}

}  // namespace

int main() {
  Inactive();
  if (geckoprof_base_start(64 << 20, 1'000'000, 0, nullptr, 0, 0) != 0) return 1;
  usleep(20'000);  // the sampler says which clock
  std::printf("clock %u\n", geckoprof_base_words_address()->clock);
  Active();
  TwoThreads();
  const std::string folder =
      std::getenv("GECKOPROF_SESSION_DIR") == nullptr ? "" : std::getenv("GECKOPROF_SESSION_DIR");
  const std::string segment = folder + "/" + std::to_string(getpid()) + "-0.segment";
  if (access(segment.c_str(), R_OK) != 0) {
    std::puts("beside a capture: not measured, for that a session directory has to be given (GECKOPROF_SESSION_DIR)");
    return 0;
  }
  BesideCapture([&] {
    geckoprof::ProcessProfile profile;
    geckoprof::ReadSegmentFile(segment.c_str(), profile);
  });
  return 0;
}
