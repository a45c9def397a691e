// overhead_program THREADS BUSY_S QUIET_S: threads that work in turns, so that each of them runs a little, for BUSY_S.
// Then the main thread alone works now and then for QUIET_S. Prints what the process has used so far:
//
//   cpu_ms 4021.5 sampler_ms 120.3
//
// The first number is the CPU time of its own threads. The second is that of the profiler's thread, as the kernel
// counts it in schedstat (proc(5)), or 0 if there is none.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double ms_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double end_ms;

static void work(double ms) {
  volatile unsigned sum = 0;
  for (const double until = ms_of(CLOCK_THREAD_CPUTIME_ID) + ms; ms_of(CLOCK_THREAD_CPUTIME_ID) < until;) {
    for (unsigned i = 0; i < 500; ++i) sum += i;
  }
}

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void* work_in_turns(void* unused) {
  while (ms_of(CLOCK_MONOTONIC) < end_ms) {
    work(2);
    sleep_ms(1);
  }
  return unused;
}

static double sampler_ms(void) {
  double found_ms = 0;
  DIR* const folder = opendir("/proc/self/task");
  for (const struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    char path[320], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(path, "r");
    if (file == NULL) continue;
    const int is_sampler = fgets(name, sizeof name, file) != NULL && strcmp(name, "geckoprof\n") == 0;
    fclose(file);
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
    file = is_sampler ? fopen(path, "r") : NULL;
    long long ran_ns = 0;
    if (file != NULL && fscanf(file, "%lld", &ran_ns) == 1) found_ms += (double)ran_ns / 1e6;
    if (file != NULL) fclose(file);
  }
  if (folder != NULL) closedir(folder);
  return found_ms;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int count = atoi(argv[1]);
  end_ms = ms_of(CLOCK_MONOTONIC) + atof(argv[2]) * 1e3;
  pthread_t* const threads = calloc((size_t)count + 1, sizeof *threads);
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], NULL, work_in_turns, NULL) != 0) return 1;
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  end_ms = ms_of(CLOCK_MONOTONIC) + atof(argv[3]) * 1e3;
  while (ms_of(CLOCK_MONOTONIC) < end_ms) {
    work(0.5);
    sleep_ms(1500);
  }
  const double own_ms = sampler_ms();
  printf("cpu_ms %.3f sampler_ms %.3f\n", ms_of(CLOCK_PROCESS_CPUTIME_ID) - own_ms, own_ms);
  return 0;
}
