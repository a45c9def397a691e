// What marking costs, beside the floor of the same machine: the same time stamps and one record in a ring of the
// thread's own. Floor and marker take turns; figures are medians of rounds.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/markers.h"
#include "geckoprof/reader/segment_reader.h"
#include "tests/bench/markers/floor_record.h"

namespace {

using geckoprof::Cycles;
using geckoprof::Median;
using geckoprof::PutRecord;
using geckoprof::Ring;

constexpr int kRounds = 41;
constexpr uint64_t kPerRound = 200'000;

Ring g_ring;

void PutRecord(uint64_t begin, uint64_t end) { PutRecord(g_ring, begin, end); }

template <typename Body>
double NsEach(const Body& body) {
  const int64_t begin_ns = geckoprof_base_now();
  for (uint64_t i = 0; i < kPerRound; ++i) {
    body();
    asm volatile("" ::: "memory");
  }
  return static_cast<double>(geckoprof_base_now() - begin_ns) / static_cast<double>(kPerRound);
}

double g_fastest_store_ns = 1e9;  // of a record without a time stamp

// A virtual processor may be half of a core, whose other half slows down whatever fills the processor: markers, plain
// stores. It does not slow down who waits for the counter: the floor.
void PrintQuietRounds(const std::vector<double>& stores, const std::vector<double>& ratios) {
  constexpr double kQuiet = 1.2;
  std::vector<double> quiet;
  for (size_t i = 0; i < stores.size(); ++i) {
    if (stores[i] <= kQuiet * g_fastest_store_ns) quiet.push_back(ratios[i]);
  }
  std::printf("  a record without a time stamp %.2f ns, at best %.2f; rounds near that: %zu of %zu", Median(stores),
              g_fastest_store_ns, quiet.size(), stores.size());
  if (!quiet.empty()) std::printf(", %.2f x", Median(quiet));
  std::printf("\n");
}

// `bar` 0: none.
template <typename Floor, typename Ours>
void Compare(const char* name, double bar, const Floor& floor, const Ours& ours) {
  std::vector<double> floors, times, ratios, stores;
  for (int round = 0; round < kRounds; ++round) {
    floors.push_back(NsEach(floor));
    times.push_back(NsEach(ours));
    ratios.push_back(times.back() / floors.back());
    stores.push_back(NsEach([] { PutRecord(1, 2); }));
    g_fastest_store_ns = std::min(g_fastest_store_ns, stores.back());
  }
  const double ratio = Median(ratios);
  if (bar == 0) {
    std::printf("%s | %.2f x (%.1f ns, floor %.1f)\n", name, ratio, Median(times), Median(floors));
  } else {
    std::printf("BAR %s | %.2f x (%.1f ns, floor %.1f) | <= %.2f x | %s\n", name, ratio, Median(times), Median(floors),
                bar, ratio <= bar ? "met" : "missed");
  }
  PrintQuietRounds(stores, ratios);
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

// A marker without a payload, by the function of marker_abi.h.
void MarkNow(uint32_t phase, geckoprof_time start) {
  geckoprof_base_begin_in_place(&g_scope, phase | GECKOPROF_MARKER_NOW, start, 0, 0);
}

void Inactive() {
  Compare(
      "inactive marker", 2,
      [] {
        if (__atomic_load_n(&g_flag, __ATOMIC_RELAXED) != 0) PutRecord(1, 2);
      },
      [] {
        if (geckoprof_base_wants_markers()) MarkNow(GECKOPROF_MARKER_INSTANT, 0);
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
        if (begin != 0) MarkNow(GECKOPROF_MARKER_INTERVAL, begin);
      });
  Compare(
      "instant", 1.2,
      [] {
        const uint64_t now = Cycles();
        PutRecord(now, now);
      },
      [] {
        if (geckoprof_base_wants_markers()) MarkNow(GECKOPROF_MARKER_INSTANT, 0);
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
  Compare("instant macro", 1.2, floor_of_instant, [] { PROFILER_MARKER_UNTYPED("instant", OTHER); });
}

// --- beside a capture ---

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
