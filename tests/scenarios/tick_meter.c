// tick_meter SECONDS INTERVAL_US: how many ticks a thread gets that does nothing but sleep from one to the next, beside
// one that is busy all the time. Late ones are left out, as a sampler leaves them out: no sampler on this machine, at
// this hour, gets more.
//
//   cpu_s 0.998 ticks 997 missed 3
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static const int64_t kNsPerSecond = 1000000000;
static atomic_bool g_ended;
static int64_t g_interval_ns, g_ticks, g_missed;

static int64_t Now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

static void* Tick(void* unused) {
  (void)unused;
  prctl(PR_SET_TIMERSLACK, 1);
  for (int64_t deadline_ns = Now(CLOCK_MONOTONIC); !atomic_load(&g_ended); ++g_ticks) {
    deadline_ns += g_interval_ns;
    const int64_t late_ns = Now(CLOCK_MONOTONIC) - deadline_ns;
    if (late_ns >= 0) {
      const int64_t missed = late_ns / g_interval_ns + 1;
      g_missed += missed;
      deadline_ns += missed * g_interval_ns;
    }
    const struct timespec until = {deadline_ns / kNsPerSecond, deadline_ns % kNsPerSecond};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  g_interval_ns = atoll(argv[2]) * 1000;
  const int64_t end_ns = Now(CLOCK_MONOTONIC) + (int64_t)(atof(argv[1]) * (double)kNsPerSecond);
  const int64_t begin_cpu_ns = Now(CLOCK_THREAD_CPUTIME_ID);
  pthread_t ticker;
  if (pthread_create(&ticker, NULL, Tick, NULL) != 0) return 1;
  while (Now(CLOCK_MONOTONIC) < end_ns) {
  }
  const int64_t cpu_ns = Now(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
  atomic_store(&g_ended, true);
  pthread_join(ticker, NULL);
  printf("cpu_s %.6f ticks %lld missed %lld\n", (double)cpu_ns / (double)kNsPerSecond, (long long)g_ticks,
         (long long)g_missed);
  return g_ticks > 0 ? 0 : 1;
}
