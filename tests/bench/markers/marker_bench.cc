// What marking costs, beside the floor of the same machine: the same time stamps and one record in a ring of the
// thread's own. Floor and marker take turns; figures are medians of rounds.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/markers.h"

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

template <typename Floor, typename Ours>
void Compare(const char* name, double bar, const Floor& floor, const Ours& ours) {
  std::vector<double> floors, times, ratios;
  for (int round = 0; round < kRounds; ++round) {
    floors.push_back(NsEach(floor));
    times.push_back(NsEach(ours));
    ratios.push_back(times.back() / floors.back());
  }
  const double ratio = Median(ratios);
  std::printf("BAR %s | %.2f x (%.1f ns, floor %.1f) | <= %.2f x | %s\n", name, ratio, Median(times), Median(floors),
              bar, ratio <= bar ? "met" : "missed");
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
  Compare("text of 16 bytes", 1.7, floor_of_instant,
          [] { PROFILER_MARKER_TEXT("text", OTHER, {}, "sixteen bytes ok"); });
  Compare("three typed fields", 1.5, floor_of_scope, [] {
    PROFILER_MARKER(
        "three", OTHER,
        geckoprof::MarkerOptions(geckoprof::MarkerTiming::IntervalUntilNowFrom(geckoprof::TimeStamp::Now())), Three,
        17u, 0.5, true);
  });
  Compare("scope macro", 1.15, floor_of_scope, [] {
    AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER);
    asm volatile("" ::: "memory");
  });
}

}  // namespace

int main() {
  Inactive();
  if (geckoprof_base_start(64 << 20, 1'000'000, 0, nullptr, 0, 0) != 0) return 1;
  usleep(20'000);  // the sampler says which clock
  std::printf("clock %u\n", geckoprof_base_words_address()->clock);
  Active();
  return 0;
}
