// sleeping_threads_program SECONDS: three threads wait from the start, two for a condition and one for a pipe. The
// main thread computes for SECONDS in ever other stacks, so that a small buffer wraps several times.
#define _GNU_SOURCE  // pthread_setname_np
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int is_over;
static int never_written[2];
static volatile uint64_t sum;

static void* AwaitCondition(void* unused) {
  pthread_mutex_lock(&lock);
  while (!is_over) pthread_cond_wait(&wake, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* AwaitPipe(void* unused) {
  char byte;
  while (read(never_written[0], &byte, 1) < 0) {
  }
  return unused;
}

static double NowSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// A path of 40 calls through four places, chosen by the bits of `path`.
static void Descend(uint64_t path, int depth) {
  if (depth == 0) {
    for (int i = 0; i < 20000; ++i) sum = sum * 6364136223846793005u + 1;
    return;
  }
  switch (path & 3) {
    case 0:
      Descend(path >> 1, depth - 1);
      sum = sum + 1;
      break;
    case 1:
      Descend(path >> 1, depth - 1);
      sum = sum + 2;
      break;
    case 2:
      Descend(path >> 1, depth - 1);
      sum = sum + 3;
      break;
    default:
      Descend(path >> 1, depth - 1);
      sum = sum + 4;
      break;
  }
}

int main(int argc, char** argv) {
  if (argc < 2 || pipe(never_written) != 0) return 1;
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    if (pthread_create(&threads[i], NULL, i == 2 ? AwaitPipe : AwaitCondition, NULL) != 0) return 1;
    pthread_setname_np(threads[i], i == 2 ? "pipe" : "condition");
  }
  const double end = NowSeconds() + atof(argv[1]);
  for (uint64_t path = 1; NowSeconds() < end; path = path * 6364136223846793005u + 1442695040888963407u) {
    Descend(path >> 20, 40);
  }
  pthread_mutex_lock(&lock);
  is_over = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&lock);
  close(never_written[1]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
