// Built with a sanitizer, whose run time stands in front of libc's memory and clock functions: threads that work on
// their stacks, so that a sampler meets red zones and what is being written. Prints a sum; a report of the sanitizer is
// a failure.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

std::atomic<long> g_sum{0};

__attribute__((noinline)) long Step(int depth) {
  volatile long local[8] = {};
  for (int i = 0; i < 8; ++i) local[i] = i * depth;
  return depth == 0 ? local[7] : Step(depth - 1) + local[1];
}

void Work() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  std::vector<long> sums;
  while (std::chrono::steady_clock::now() < end) sums.push_back(Step(20));
  g_sum += sums.front();
}

}  // namespace

int main() {
  std::thread other(Work);
  Work();
  other.join();
  printf("%ld\n", g_sum.load());
  return 0;
}
