// thread_churn ROUNDS: creates and joins eight short threads a round. Prints the sum of what they computed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

__attribute__((noinline)) uint64_t Mix(uint64_t state) {
  for (int i = 0; i < 100'000; i++) state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 200;
  uint64_t sum = 0;
  for (int round = 0; round < rounds; round++) {
    std::vector<uint64_t> results(8);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < results.size(); i++) threads.emplace_back([&results, i] { results[i] = Mix(i + 1); });
    for (auto& thread : threads) thread.join();
    for (const uint64_t result : results) sum += result;
  }
  printf("thread_churn %d rounds %016llx\n", rounds, static_cast<unsigned long long>(sum));
  return 0;
}
