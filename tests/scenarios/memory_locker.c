// memory_locker: locks all its memory, as an ordinary user may within 8 MiB.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { kLimitBytes = 8 << 20, kNobody = 65534 };

int main(void) {
  const struct rlimit limit = {kLimitBytes, kLimitBytes};
  if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 77;  // fewer are allowed here
  if (geteuid() == 0 && setuid(kNobody) != 0) return 1;
  const int result = mlockall(MCL_CURRENT | MCL_FUTURE);
  printf("locked: %s\n", result == 0 ? "yes" : strerror(errno));
  const struct timespec pause = {0, 30 * 1000 * 1000};
  nanosleep(&pause, NULL);
  return 0;
}
