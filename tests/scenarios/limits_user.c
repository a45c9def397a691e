// limits_user: limits its own address space to 64 MiB, by both calls, and takes 40 of them.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { kMiB = 1 << 20 };

static void* Take(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void) {
  struct rlimit limit = {100 * kMiB, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  limit.rlim_cur = 64 * kMiB;
  if (prlimit(0, RLIMIT_AS, &limit, NULL) != 0) return 1;
  void* const memory = Take(40 * kMiB);
  if (memory == MAP_FAILED) return 2;
  memset(memory, 1, 40 * kMiB);
  const struct timespec pause = {0, 50 * 1000 * 1000};
  nanosleep(&pause, NULL);
  struct rlimit seen;
  getrlimit(RLIMIT_AS, &seen);
  printf("limit %lu MiB, 40 MiB taken, 64 more: %s\n", (unsigned long)seen.rlim_cur / kMiB,
         Take(64 * kMiB) == MAP_FAILED ? "refused" : "GIVEN");
  return 0;
}
