// pause_meter SECONDS STACK_KIB [empty-handler]: what interruptions cost a thread, by its own clock.
//
// A thread STACK_KIB deep in its stack reads the time without a break; two readings more than 1 us apart are a pause.
// Prints the number of pauses, their sum, median and a histogram. With `empty-handler` a second thread signals it at 1
// kHz and the handler does nothing: the least that any sampler with signals can cost. Run bare, it shows the machine's
// own noise.
//
//   pauses 1000 sum_ns 2900000 median_ns 2700 wall_ns 1000000000
//   up_to_ns 2000 count 20
//   ...
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int64_t kPauseNs = 1000;

// Bins of 100 ns to 20 us, of 1 us to 200 us, and one for the rest: fine enough that the noise of a bare run can be
// taken away.
int64_t BinLimitNs(int64_t ns) {
  if (ns < 20'000) return (ns / 100 + 1) * 100;
  return ns < 200'000 ? (ns / 1000 + 1) * 1000 : INT64_MAX;
}

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void DoNothing(int) {}

// Kept small: it runs between two readings only after a pause.
class PauseList {
 public:
  PauseList() { pauses_ns_.reserve(1 << 22); }
  void Add(int64_t ns) {
    if (pauses_ns_.size() < pauses_ns_.capacity()) pauses_ns_.push_back(ns);
  }

  void Print(int64_t wall_ns) {
    std::sort(pauses_ns_.begin(), pauses_ns_.end());
    int64_t sum_ns = 0;
    for (const int64_t ns : pauses_ns_) sum_ns += ns;
    const int64_t median_ns = pauses_ns_.empty() ? 0 : pauses_ns_[pauses_ns_.size() / 2];
    printf("pauses %zu sum_ns %lld median_ns %lld wall_ns %lld\n", pauses_ns_.size(), static_cast<long long>(sum_ns),
           static_cast<long long>(median_ns), static_cast<long long>(wall_ns));
    for (auto from = pauses_ns_.begin(); from != pauses_ns_.end();) {
      const int64_t limit_ns = BinLimitNs(*from);
      const auto to = std::lower_bound(from, pauses_ns_.end(), limit_ns);
      printf("up_to_ns %lld count %zu\n", static_cast<long long>(limit_ns), static_cast<size_t>(to - from));
      from = to;
    }
  }

 private:
  std::vector<int64_t> pauses_ns_;
};

__attribute__((noinline)) void Spin(int64_t end_ns, PauseList& pauses) {
  for (int64_t before_ns = NowNs(); before_ns < end_ns;) {
    const int64_t now_ns = NowNs();
    if (now_ns - before_ns > kPauseNs) {
      pauses.Add(now_ns - before_ns);
      before_ns = NowNs();
    } else {
      before_ns = now_ns;
    }
  }
}

__attribute__((noinline)) void SpinDeep(size_t stack_bytes, int64_t end_ns, PauseList& pauses) {
  volatile auto* block = static_cast<volatile uint8_t*>(alloca(stack_bytes + 1));
  for (size_t i = 0; i <= stack_bytes; i += 64) block[i] = 1;
  Spin(end_ns, pauses);
  block[0] = 2;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  const size_t stack_bytes = static_cast<size_t>(argc > 2 ? atoi(argv[2]) : 16) * 1024;
  const bool with_handler = argc > 3 && strcmp(argv[3], "empty-handler") == 0;
  PauseList pauses;
  const int64_t start_ns = NowNs(), end_ns = start_ns + static_cast<int64_t>(seconds * 1e9);
  std::thread meter([&] { SpinDeep(stack_bytes, end_ns, pauses); });
  if (with_handler) {
    struct sigaction action = {};
    action.sa_handler = DoNothing;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGUSR2, &action, nullptr);
    while (NowNs() < end_ns - 2'000'000) {
      const timespec millisecond = {0, 1'000'000};
      nanosleep(&millisecond, nullptr);
      pthread_kill(meter.native_handle(), SIGUSR2);
    }
  }
  meter.join();
  pauses.Print(NowNs() - start_ns);
  return 0;
}
