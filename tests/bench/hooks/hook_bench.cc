// hook_bench pread|mutex|loop ROUNDS: repeats one call that the hooks library wraps, and prints the CPU time of a round
// in ns.
//
//   pread   64 bytes of a file that is in memory
//   mutex   lock and unlock, of a mutex that nobody else wants
//   loop    an iteration of an event loop: epoll_wait, which has an event at once
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

int64_t CpuNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

template <typename Call>
int Measure(long rounds, const Call& call) {
  for (long i = 0; i < rounds / 10; ++i) call();
  const int64_t begin_ns = CpuNs();
  for (long i = 0; i < rounds; ++i) call();
  printf("%.2f\n", static_cast<double>(CpuNs() - begin_ns) / static_cast<double>(rounds));
  return 0;
}

int MeasurePread(long rounds) {
  const int file = memfd_create("hook_bench", MFD_CLOEXEC);
  char bytes[64] = {};
  if (file < 0 || write(file, bytes, sizeof(bytes)) != sizeof(bytes)) return 1;
  return Measure(rounds, [&] {
    if (pread(file, bytes, sizeof(bytes), 0) != sizeof(bytes)) abort();
  });
}

int MeasureMutex(long rounds) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  return Measure(rounds, [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  });
}

int MeasureLoop(long rounds) {
  const int loop = epoll_create1(EPOLL_CLOEXEC), event = eventfd(1, EFD_CLOEXEC);
  epoll_event wanted = {.events = EPOLLIN, .data = {.fd = event}};
  if (loop < 0 || event < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, event, &wanted) != 0) return 1;
  return Measure(rounds, [&] {
    epoll_event found = {};
    if (epoll_wait(loop, &found, 1, -1) != 1) abort();
  });
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 3 ? words[1] : "";
  const long rounds = count == 3 ? atol(words[2]) : 0;
  if (what == "pread") return MeasurePread(rounds);
  if (what == "mutex") return MeasureMutex(rounds);
  if (what == "loop") return MeasureLoop(rounds);
  fputs("usage: hook_bench pread|mutex|loop ROUNDS\n", stderr);
  return 2;
}
