// controlled_work FILE: counts primes on two threads, controls its own recording, and saves the profile as FILE.
#include <cstdio>
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"

// Kept as functions of their own, so that the profile shows them.
#define NOINLINE __attribute__((noinline))

namespace {

constexpr int kNumbers = 600'000;

NOINLINE bool IsPrime(int number) {
  if (number < 2) return false;
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

// Adds to `count`: what only returned a result could be moved out of the label's scope by the compiler.
NOINLINE void CountPrimes(int numbers, int& count) {
  for (int number = 0; number < numbers; ++number) count += IsPrime(number) ? 1 : 0;
}

// Work before main: in the profile if base was preloaded and started, because profiler_start keeps what base recorded.
struct EarlyCount {
  NOINLINE EarlyCount() {
    AUTO_BASE_PROFILER_LABEL("Counting early", OTHER);
    CountPrimes(kNumbers / 3, count);
  }
  int count = 0;
};
EarlyCount g_early;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  AUTO_PROFILER_INIT;  // ours until the end of main
  const auto started = profiler_start(PROFILER_DEFAULT_ENTRIES, 0.5, ProfilerFeature::StackWalk);
  if (!started) {
    std::fprintf(stderr, "not recorded: %s\n", started.outcome.Text().c_str());
    return 1;
  }
  int helper_count = 0;
  std::thread helper([&helper_count] {
    AUTO_PROFILER_REGISTER_THREAD("Prime helper");
    AUTO_BASE_PROFILER_LABEL("Counting beside", OTHER);
    CountPrimes(kNumbers, helper_count);
  });
  int count = 0;
  {
    AUTO_BASE_PROFILER_LABEL("Counting", OTHER);
    CountPrimes(kNumbers, count);
  }
  helper.join();
  BASE_PROFILER_MARKER_UNTYPED("All counted", OTHER);

  const auto saved = profiler_save_profile(argv[1]);
  if (!saved) {
    std::fprintf(stderr, "not saved: %s\n", saved.Text().c_str());
    return 1;
  }
  std::printf("%d %d %d primes\n", g_early.count, count, helper_count);
  return 0;
}
