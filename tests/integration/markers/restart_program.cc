// Threads that were made before anything was recorded mark with their stacks all the time, while recordings end and
// begin. What the last one must hold is said in restart_profile.py.
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"

using namespace geckoprof;  // NOLINT: as a user of the macros would

namespace {

std::atomic<bool> g_is_last{false}, g_is_known{false}, g_ends{false};

void MarkAllTheTime() {
  while (!g_ends.load(std::memory_order_relaxed)) {
    const bool is_known = g_is_known.load(std::memory_order_relaxed);
    for (int i = 0; i < 20; ++i) PROFILER_MARKER_UNTYPED(is_known ? "late" : "early", OTHER, MarkerStack::Capture());
    // What is to be read shall not be too much, and at the end more than the sampler has room for.
    if (g_is_last.load(std::memory_order_relaxed)) usleep(is_known ? 300 : 5'000);
  }
}

}  // namespace

int main() {
  constexpr int kRounds = 12;
  std::vector<std::thread> workers;
  for (int i = 0; i < 6; ++i) workers.emplace_back(&MarkAllTheTime);
  for (int round = 1; round <= kRounds; ++round) {
    baseprofiler::profiler_start(size_t{128} << 20, 1);
    g_is_last = round == kRounds;
    usleep(8'000);
    PROFILER_MARKER_UNTYPED("first", OTHER);
    usleep(4'000);
    PROFILER_MARKER_UNTYPED("second", OTHER);
    PROFILER_MARKER_TEXT("third", OTHER, {}, "a text");
    if (round < kRounds) baseprofiler::profiler_stop();
  }
  usleep(300'000);  // the sampler learns the place
  g_is_known = true;
  usleep(40'000);
  g_ends = true;
  for (std::thread& worker : workers) worker.join();
  return 0;
}
