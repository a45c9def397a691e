// busy_mix SECONDS: the C++ example that the benchmarks record. Rounds of work of every shape that an unwinder meets:
// recursion, alloca, exceptions, calls through the PLT with call-backs (qsort), libm, virtual calls, std::sort,
// threads, and a signal handler that works. Each round computes the same number; prints it, and fails if a round
// differs.
#include <alloca.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace {

constexpr uint64_t kMultiplier = 6364136223846793005ull;

uint64_t Next(uint64_t& state) { return state = state * kMultiplier + 1442695040888963407ull; }

NOINLINE uint64_t Fibonacci(unsigned n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }

NOINLINE uint64_t Ackermann(uint64_t m, uint64_t n) {
  if (m == 0) return n + 1;
  if (n == 0) return Ackermann(m - 1, 1);
  return Ackermann(m - 1, Ackermann(m, n - 1));
}

NOINLINE uint64_t SumOnStack(size_t bytes) {
  auto* block = static_cast<uint8_t*>(alloca(bytes));
  for (size_t i = 0; i < bytes; i++) block[i] = static_cast<uint8_t>(i * 31);
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i++) sum = sum * 3 + block[i];
  return sum;
}

NOINLINE uint64_t VariableFrames() {
  uint64_t sum = 0;
  for (size_t bytes = 64; bytes < 8192; bytes += 96) sum += SumOnStack(bytes);
  return sum;
}

NOINLINE int ThrowDeep(int depth, std::string text) {
  if (depth == 0) throw std::runtime_error(text);
  return ThrowDeep(depth - 1, text + "x") + 1;
}

NOINLINE uint64_t CatchExceptions() {
  uint64_t sum = 0;
  for (int depth = 1; depth < 30; depth++) {
    try {
      sum += static_cast<uint64_t>(ThrowDeep(depth, "deep"));
    } catch (const std::exception& error) {
      sum += strlen(error.what());
    }
  }
  return sum;
}

int CompareNumbers(const void* a, const void* b) {
  const uint64_t left = *static_cast<const uint64_t*>(a), right = *static_cast<const uint64_t*>(b);
  return left < right ? -1 : left > right;
}

NOINLINE uint64_t SortThroughPlt(size_t count) {
  std::vector<uint64_t> numbers(count);
  uint64_t state = 7;
  for (auto& number : numbers) number = Next(state);
  qsort(numbers.data(), numbers.size(), sizeof(uint64_t), CompareNumbers);
  return numbers[count / 2];
}

NOINLINE uint64_t SortWithTemplate(size_t count) {
  std::vector<std::string> words;
  uint64_t state = 11;
  for (size_t i = 0; i < count; i++) words.push_back(std::to_string(Next(state)));
  std::sort(words.begin(), words.end());
  return words[count / 3].size() + static_cast<uint64_t>(words[count / 2][0]);
}

NOINLINE uint64_t Transcendental(int count) {
  double sum = 0;
  for (int i = 1; i < count; i++) sum += std::sin(i) * std::pow(i, 0.31) + std::log1p(i) + std::tgamma(1 + 1.0 / i);
  return static_cast<uint64_t>(sum);
}

class Shape {
 public:
  virtual ~Shape() = default;
  virtual uint64_t Area(uint64_t size) const = 0;
};
class Square : public Shape {
 public:
  NOINLINE uint64_t Area(uint64_t size) const override { return size * size; }
};
class Grid : public Shape {
 public:
  NOINLINE uint64_t Area(uint64_t size) const override {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < size % 64; i++) sum += square_.Area(i);
    return sum;
  }

 private:
  Square square_;
};

NOINLINE uint64_t VirtualCalls(int count) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Grid>());
  uint64_t sum = 0;
  for (int i = 0; i < count; i++) sum += shapes[static_cast<size_t>(i) % 2]->Area(static_cast<uint64_t>(i));
  return sum;
}

std::atomic<uint64_t> work_of_the_handler{0};

NOINLINE void WorkInHandler() {
  uint64_t state = 3;
  for (int i = 0; i < 20000; i++) Next(state);
  work_of_the_handler.fetch_add(state, std::memory_order_relaxed);
}

void OnAlarm(int) { WorkInHandler(); }

NOINLINE uint64_t OneRound() {
  return Fibonacci(22) + Ackermann(2, 60) + VariableFrames() + CatchExceptions() + SortThroughPlt(6000) +
         SortWithTemplate(2500) + Transcendental(12000) + VirtualCalls(20000);
}

// Returns false if two rounds differed.
NOINLINE bool WorkUntil(std::chrono::steady_clock::time_point end, uint64_t expected) {
  do {
    if (OneRound() != expected) return false;
  } while (std::chrono::steady_clock::now() < end);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  struct sigaction action = {};
  action.sa_handler = OnAlarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval every_7_ms = {{0, 7000}, {0, 7000}};
  setitimer(ITIMER_REAL, &every_7_ms, nullptr);

  const uint64_t expected = OneRound();
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  bool worker_agrees = false;
  std::thread worker([&] { worker_agrees = WorkUntil(end, expected); });
  const bool main_agrees = WorkUntil(end, expected);
  worker.join();
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  printf("busy_mix %016llx %s\n", static_cast<unsigned long long>(expected),
         main_agrees && worker_agrees ? "all rounds agree" : "ROUNDS DIFFER");
  return main_agrees && worker_agrees ? 0 : 1;
}
