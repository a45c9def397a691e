// busy_children COUNT SECONDS: COUNT forked children that compute for 1 ms and sleep for 20 ms. They end one after the
// other in the last half of SECONDS.
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const int children = atoi(words[1]);
  const int64_t half_ns = (int64_t)atoi(words[2]) * 500000000, begin_ns = NowNs();
  for (int i = 0; i < children; ++i) {
    if (fork() != 0) continue;
    const int64_t end_ns = begin_ns + half_ns + half_ns * (i + 1) / children;
    while (NowNs() < end_ns) {
      for (const int64_t rest_ns = NowNs() + 1000000; NowNs() < rest_ns;) {
      }
      usleep(20000);
    }
    _exit(0);
  }
  while (wait(NULL) > 0) {
  }
  return 0;
}
