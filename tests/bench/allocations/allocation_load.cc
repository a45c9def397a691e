// allocation_load THREADS ROUNDS: a program that does little but get and give back blocks, 24 calls below main.
//
// Each thread has 8192 places. A round gives the block of each place back and gets another. Blocks have 100 bytes to
// 16 KiB, and small ones are more frequent.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr size_t kPlaces = 8192;

struct Load {
  void* places[kPlaces] = {};
  uint64_t random = 1;
  uint64_t bytes = 0;

  size_t NextBytes() {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<uint32_t>(random >> 33);
    const uint32_t shift = 4 + static_cast<uint32_t>(__builtin_ctz(bits | 1u << 9));  // 16, 32, ... bytes
    return (size_t{1} << shift) + bits % (size_t{1} << shift) + 100;
  }

  void Round() {
    for (void*& place : places) {
      const size_t size = NextBytes();
      free(place);
      place = malloc(size);
      memset(place, 1, size < 256 ? size : 256);
      bytes += size;
    }
  }
};

template <int kDepth>
[[gnu::noinline]] void Call(Load& load, int rounds, volatile int* after) {
  if constexpr (kDepth == 0) {
    for (int i = 0; i < rounds; ++i) load.Round();
  } else {
    Call<kDepth - 1>(load, rounds, after);
  }
  *after = *after + 1;  // no tail call
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 1 ? atoi(words[1]) : 1, rounds = count > 2 ? atoi(words[2]) : 1000;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([rounds, i] {
      Load load;
      load.random = static_cast<uint64_t>(i) + 1;
      volatile int after = 0;
      Call<22>(load, rounds, &after);
      printf("%llu bytes\n", static_cast<unsigned long long>(load.bytes));
    });
  }
  for (std::thread& thread : running) thread.join();
}
