// pause_meter SECONDS STACK_KIB [empty-handler [request|perf-event]]: what interruptions cost a thread, by its own
// clock.
//
// A thread STACK_KIB deep in its stack reads the time without a break. Two readings that are more than 1 us apart are a
// pause. It prints the number of pauses, their sum, median and a histogram.
//
// With `empty-handler` the thread is signalled at 1 kHz, and the handler does nothing. No sampler with the same clock
// can cost it less. A second thread sends the signals, or with `perf-event` a clock of perf_event_open on the thread
// itself. Run bare, the program shows the machine's own noise.
//
//   pauses 1000 sum_ns 2900000 median_ns 2700 wall_ns 1000000000
//   up_to_ns 2000 count 20
//   ...
#include <alloca.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
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

// Sends SIGUSR2 to the calling thread after each millisecond of its CPU time.
void StartPerfEvent() {
  perf_event_attr attributes = {};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = 1'000'000;
  attributes.wakeup_events = 1;
  attributes.disabled = 1;
  const auto open = [&] { return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)); };
  int event = open();
  attributes.exclude_kernel = 1;  // as users must have it
  if (event < 0) event = open();
  const f_owner_ex owner = {F_OWNER_TID, static_cast<int>(syscall(SYS_gettid))};
  if (event < 0 || fcntl(event, F_SETOWN_EX, &owner) != 0 || fcntl(event, F_SETSIG, SIGUSR2) != 0 ||
      fcntl(event, F_SETFL, O_ASYNC) != 0 || ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0) {
    perror("perf_event_open");
    exit(77);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  const size_t stack_bytes = static_cast<size_t>(argc > 2 ? atoi(argv[2]) : 16) * 1024;
  const bool with_handler = argc > 3 && strcmp(argv[3], "empty-handler") == 0;
  const bool by_perf_event = argc > 4 && strcmp(argv[4], "perf-event") == 0;
  if (with_handler) {
    struct sigaction action = {};
    action.sa_handler = DoNothing;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGUSR2, &action, nullptr);
  }
  PauseList pauses;
  const int64_t start_ns = NowNs(), end_ns = start_ns + static_cast<int64_t>(seconds * 1e9);
  std::thread meter([&] {
    if (by_perf_event) StartPerfEvent();
    SpinDeep(stack_bytes, end_ns, pauses);
  });
  if (with_handler && !by_perf_event) {
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
