// idle_threads THREADS SECONDS: one thread that is busy, beside threads that wait all the time.
//
// Prints the CPU time of the busy thread in SECONDS, that of the rest of the process, and how many waiting threads had
// a context switch. The rest is a profiler's thread, as waiting threads use no time. A waiting thread that handles a
// signal is switched to, so a profiler that signals it is seen.
//
//   busy_cpu_s 2.991 rest_cpu_s 0.012 switched 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_there;
static pid_t* tids;

static double Seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void* Wait(void* tid) {
  *(pid_t*)tid = (pid_t)syscall(SYS_gettid);
  pthread_barrier_wait(&all_there);
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  return NULL;
}

// Voluntary and involuntary switches together.
static long Switches(pid_t tid) {
  char line[256];
  long switches = 0;
  snprintf(line, sizeof line, "/proc/self/task/%d/status", tid);
  FILE* const file = fopen(line, "r");
  if (file == NULL) exit(1);
  while (fgets(line, sizeof line, file)) {
    const char* const found = strstr(line, "ctxt_switches:");
    if (found) switches += atol(found + strlen("ctxt_switches:"));
  }
  fclose(file);
  return switches;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[1]);
  tids = calloc((size_t)count, sizeof *tids);
  long* const before = calloc((size_t)count, sizeof *before);
  if (!tids || !before) return 1;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &small, Wait, &tids[i]) != 0) return 1;
  }
  pthread_barrier_wait(&all_there);
  // All of them get through the barrier, and a profiler has seen that they wait.
  const struct timespec second = {1, 0};
  nanosleep(&second, NULL);
  for (int i = 0; i < count; i++) before[i] = Switches(tids[i]);
  const double process_cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID), busy_cpu = Seconds(CLOCK_THREAD_CPUTIME_ID);
  for (const double end = Seconds(CLOCK_MONOTONIC) + atof(argv[2]); Seconds(CLOCK_MONOTONIC) < end;) {
  }
  const double busy = Seconds(CLOCK_THREAD_CPUTIME_ID) - busy_cpu;
  const double rest = Seconds(CLOCK_PROCESS_CPUTIME_ID) - process_cpu - busy;
  int switched = 0;
  for (int i = 0; i < count; i++) switched += Switches(tids[i]) != before[i];
  printf("busy_cpu_s %.3f rest_cpu_s %.3f switched %d\n", busy, rest, switched);
  return 0;
}
