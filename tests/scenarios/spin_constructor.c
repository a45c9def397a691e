// A shared library whose constructor spins for 5 ms, as its thread's clock has them: preloaded beside the profiler, it
// shows whether sampling starts first. Prints when it ends, in ns on CLOCK_MONOTONIC.
#include <stdio.h>
#include <time.h>

__attribute__((noinline, visibility("default"))) void spin_constructor_work(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

__attribute__((constructor)) static void SpinInConstructor(void) {
  struct timespec end;
  spin_constructor_work(5L * 1000 * 1000);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("constructed at %ld\n", end.tv_sec * 1000000000L + end.tv_nsec);
}
