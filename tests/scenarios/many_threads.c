// many_threads: [THREADS] threads with small stacks that wait, and one after another work for a moment.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t all_there;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void* Work(void* argument) {
  (void)argument;
  pthread_barrier_wait(&all_there);
  pthread_mutex_lock(&one_at_a_time);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < 500000L);
  pthread_mutex_unlock(&one_at_a_time);
  return NULL;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 100;
  pthread_t* const threads = calloc((size_t)count, sizeof *threads);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_barrier_init(&all_there, NULL, (unsigned)count);
  for (int i = 0; i < count; i++) {
    if (pthread_create(&threads[i], &small, Work, NULL) != 0) return 1;
  }
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  free(threads);
  printf("%d threads\n", count);
  return 0;
}
