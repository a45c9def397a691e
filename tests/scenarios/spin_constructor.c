// A shared library whose constructor spins for 5 ms, as its thread's clock has them: preloaded beside the profiler, it
// shows whether sampling starts first.
#include <time.h>

__attribute__((noinline, visibility("default"))) void spin_constructor_work(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

__attribute__((constructor)) static void SpinInConstructor(void) { spin_constructor_work(5L * 1000 * 1000); }
