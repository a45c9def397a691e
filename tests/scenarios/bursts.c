// bursts BURST_US SECONDS: a thread `worker` that is woken for bursts of work, as in a server or a thread pool.
//
// Each burst calls the same functions: Handle (45 %), Parse (15 %), and Decode (20 %), Checksum (12 %) and Encode (8 %)
// of a library. The rest of the worker's time is that of waking and waiting. The main thread sleeps for one and a
// quarter to two and a quarter bursts between two jobs. Prints the number of bursts and the worker's CPU time.
//
//   bursts 3120 cpu_s 0.701
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

uint32_t Decode(uint32_t state, long loops);
uint32_t Checksum(uint32_t state, long loops);
uint32_t Encode(uint32_t state, long loops);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static long waiting_jobs;
static bool is_ended;
static long loops_of_burst;

static double Seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static uint32_t Handle(uint32_t state, long loops) {
  for (long i = 0; i < loops; i++) state = state * 69069u + 1;
  return state;
}

__attribute__((noinline)) static uint32_t Parse(uint32_t state, long loops) {
  for (long i = 0; i < loops; i++) state = state * 134775813u + 1;
  return state;
}

static bool AwaitJob(void) {
  pthread_mutex_lock(&mutex);
  while (waiting_jobs == 0 && !is_ended) pthread_cond_wait(&wake, &mutex);
  const bool has_job = waiting_jobs > 0;
  if (has_job) waiting_jobs--;
  pthread_mutex_unlock(&mutex);
  return has_job;
}

static void* Work(void* argument) {
  uint32_t* const result = argument;
  uint32_t state = 1;
  long bursts = 0;
  const long part = loops_of_burst / 100;
  for (; AwaitJob(); bursts++) {
    state = Handle(state, 45 * part);
    state = Parse(state, 15 * part);
    state = Decode(state, 20 * part);
    state = Checksum(state, 12 * part);
    state = Encode(state, 8 * part);
  }
  printf("bursts %ld cpu_s %.3f\n", bursts, Seconds(CLOCK_THREAD_CPUTIME_ID));
  *result = state;
  return NULL;
}

static long LoopsFor(double seconds) {
  enum { kTrialLoops = 20000000 };
  volatile uint32_t result = 1;
  const double begin = Seconds(CLOCK_THREAD_CPUTIME_ID);
  result = Decode(result, kTrialLoops);
  return (long)(kTrialLoops * seconds / (Seconds(CLOCK_THREAD_CPUTIME_ID) - begin));
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const long burst_us = atol(argv[1]);
  loops_of_burst = LoopsFor((double)burst_us * 1e-6);
  uint32_t result = 0;
  pthread_t worker;
  if (pthread_create(&worker, NULL, Work, &result) != 0) return 1;
  pthread_setname_np(worker, "worker");
  prctl(PR_SET_TIMERSLACK, 1);
  const double end = Seconds(CLOCK_MONOTONIC) + atof(argv[2]);
  uint32_t random = 1;
  while (Seconds(CLOCK_MONOTONIC) < end) {
    pthread_mutex_lock(&mutex);
    waiting_jobs++;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&wake);
    random = random * 1664525u + 1013904223u;
    const struct timespec pause = {0, burst_us * 1250 + random % (burst_us * 1000 + 1)};
    nanosleep(&pause, NULL);
  }
  pthread_mutex_lock(&mutex);
  is_ended = true;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&wake);
  pthread_join(worker, NULL);
  return result == 0;
}
