// labelled_work: counts primes on two threads, and says in the profile what it is at: labels, markers, names of
// threads.
#include <cstdio>
#include <string>
#include <thread>

#include "baseprofiler/base_profiler.h"

using geckoprof::baseprofiler::MarkerTiming;

// Kept as functions of their own, so that the profile shows them.
#define NOINLINE __attribute__((noinline))

namespace {

constexpr int kBlocks = 6;
constexpr int kBlockSize = 200'000;

NOINLINE bool IsPrime(int number) {
  if (number < 2) return false;
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

NOINLINE int CountPrimes(int from, int to) {
  int count = 0;
  for (int number = from; number < to; ++number) count += IsPrime(number) ? 1 : 0;
  return count;
}

// Every other block, from `first` on.
NOINLINE int CountBlocks(int first) {
  int count = 0;
  for (int block = first; block < kBlocks; block += 2) {
    AUTO_BASE_PROFILER_LABEL("Block of numbers", OTHER);
    const MarkerTiming begin = MarkerTiming::InstantNow();
    count += CountPrimes(block * kBlockSize, (block + 1) * kBlockSize);
    BASE_PROFILER_MARKER_TEXT("Block counted", OTHER, MarkerTiming::IntervalUntilNowFrom(begin.start),
                              "block " + std::to_string(block));
  }
  return count;
}

}  // namespace

int main() {
  AUTO_BASE_PROFILER_LABEL("Counting", OTHER);
  int odd_blocks = 0;
  std::thread helper([&odd_blocks] {
    AUTO_BASE_PROFILER_REGISTER_THREAD("Prime helper");
    odd_blocks = CountBlocks(1);
  });
  const int even_blocks = CountBlocks(0);
  helper.join();
  BASE_PROFILER_MARKER_UNTYPED("All counted", OTHER);
  std::printf("%d primes\n", even_blocks + odd_blocks);
  return 0;
}
