// Waits of 30 and of 90 ms in turn, with next to no CPU time in between, and then for a child by vfork that works.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline))

static inline __attribute__((always_inline)) void Sleep(long ms) {
  const struct timespec time = {0, ms * 1000000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
  __asm__ volatile("" ::: "memory");  // no tail call
}

static NOT_INLINED void WaitShort(void) { Sleep(30); }
static NOT_INLINED void WaitLong(void) { Sleep(90); }

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static NOT_INLINED pid_t WaitForChild(void) {
  const pid_t child = vfork();
  if (child == 0) {
    for (const double end = Now() + 0.1; Now() < end;) {
    }
    _exit(0);
  }
  return child;
}
static NOT_INLINED void Caller(void) {
  const pid_t child = WaitForChild();
  waitpid(child, NULL, 0);
}

int main(void) {
  for (int i = 0; i < 15; ++i) {
    WaitShort();
    WaitLong();
  }
  Caller();
  return 0;
}
