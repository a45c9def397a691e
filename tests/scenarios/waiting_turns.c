// Waits of 60 and of 180 ms in turn, with next to no CPU time in between, and then for a child by vfork that works.
// Prints for how many ms it waited shortly, and for how many longer.
#define _GNU_SOURCE
#include <stdio.h>
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

static NOT_INLINED void WaitShort(void) { Sleep(60); }
static NOT_INLINED void WaitLong(void) { Sleep(180); }

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
  double short_s = 0, long_s = 0;
  for (int i = 0; i < 15; ++i) {
    const double begin = Now();
    WaitShort();
    const double middle = Now();
    WaitLong();
    short_s += middle - begin;
    long_s += Now() - middle;
  }
  printf("%.1f %.1f\n", short_s * 1e3, long_s * 1e3);
  Caller();
  return 0;
}
