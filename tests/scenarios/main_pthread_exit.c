// main_pthread_exit: main leaves by pthread_exit while a worker lives on for 200 ms. The process ends when its last
// thread does, with status 0; a profiler's thread that stays would keep it for ever.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void* Work(void* unused) {
  (void)unused;
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += 200 * 1000 * 1000;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - end.tv_sec) * 1000000000L + (now.tv_nsec - end.tv_nsec) < 0);
  puts("worker ends");
  return NULL;
}

int main(void) {
  pthread_t worker;
  if (pthread_create(&worker, NULL, Work, NULL) != 0) return 1;
  pthread_detach(worker);
  puts("main leaves");
  fflush(stdout);
  pthread_exit(NULL);
}
