// handover_figures gap | markers: what a handover costs, for tools/benchmarks/handover.
//
// gap: a thread "busy" works all through; the main thread makes a marker "control" where nothing happens, takes over
// and hands back, 100 ms apart, and prints what each call took. The profile tells the gaps between samples. markers: a
// thread measures its own markers, in turn beside a main thread that sleeps and one that takes over and hands back all
// the time, and prints the 99th percentile of each.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "geckoprofiler/gecko_profiler.h"
#include "marker_load.h"

namespace {

void Gap() {
  std::atomic<bool> ends{false};
  std::thread busy([&] {
    geckoprof_base_register_thread("busy");
    while (!ends) WorkFor(kMs);
  });
  const auto timed = [](const char* what, auto call) {
    usleep(100'000);
    const int64_t begin_ns = geckoprof_base_now();
    call();
    printf("%s %.4f ms\n", what, static_cast<double>(geckoprof_base_now() - begin_ns) / kMs);
  };
  timed("control", [] { geckoprof_base_mark_text("control", 1u << 8, nullptr, "", 0); });
  timed("takeover", [] { profiler_init(); });
  timed("handback", [] { profiler_shutdown(); });
  usleep(100'000);
  ends = true;
  busy.join();
}

void Markers() {
  constexpr int kPhases = 10;  // without, with, without ...
  std::atomic<int> phase{0};
  std::vector<int64_t> costs_ns[2];
  std::thread marking([&] {
    geckoprof_base_register_thread("marking");
    for (int now = 0; (now = phase) < kPhases;) {
      const int64_t begin_ns = geckoprof_base_now();
      geckoprof_base_mark_text("measured", 1u << 8, nullptr, "text", 4);
      costs_ns[now % 2].push_back(geckoprof_base_now() - begin_ns);
      usleep(50);
    }
  });
  for (; phase < kPhases; ++phase) {
    const int64_t until_ns = geckoprof_base_now() + 200 * kMs;
    while (geckoprof_base_now() < until_ns) {
      if (phase % 2 == 1) {
        profiler_init();
        profiler_shutdown();
      }
      usleep(500);
    }
  }
  marking.join();
  for (std::vector<int64_t>& costs : costs_ns) std::sort(costs.begin(), costs.end());
  for (const int with : {0, 1}) {
    const std::vector<int64_t>& costs = costs_ns[with];
    printf("%s median %ld p99 %ld of %zu\n", with != 0 ? "with" : "without", costs[costs.size() / 2],
           costs[costs.size() * 99 / 100], costs.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (std::strcmp(argv[1], "gap") == 0) Gap();
  if (std::strcmp(argv[1], "markers") == 0) Markers();
  return 0;
}
