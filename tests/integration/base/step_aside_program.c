// step_aside_program: makes calls for which the sampler steps aside, prints when, then works and waits for 150 ms.
#define _GNU_SOURCE
#include <grp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
  for (const long long end = NowNs() + 20 * 1000 * 1000; NowNs() < end;) {
  }
  const int failed = setresgid(getgid(), getegid(), getegid());
  printf("%lld\n", NowNs());
  for (int i = 0; i < 80; i++) {
    for (const long long end = NowNs() + 700 * 1000; NowNs() < end;) {
    }
    usleep(1200);
  }
  return failed != 0;
}
