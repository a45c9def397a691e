// churn_threads_program SECONDS PLUGIN...: a thread for each plugin, which loads it, works in it for 2 ms and unloads
// it, again and again.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long g_end_ns;
static volatile int g_failed;

static long long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void* Churn(void* path) {
  uint64_t value = 1;
  while (NowNs() < g_end_ns) {
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* symbol = plugin ? dlsym(plugin, "churn_plugin_work") : NULL;
    if (!symbol) {
      g_failed = 1;
      return NULL;
    }
    uint64_t (*work)(uint64_t);
    __builtin_memcpy(&work, &symbol, sizeof work);
    for (const long long until_ns = NowNs() + 2 * 1000 * 1000; NowNs() < until_ns;) value = work(value);
    dlclose(plugin);
  }
  return NULL;
}

int main(int argc, char** argv) {
  enum { kMostThreads = 16 };
  pthread_t threads[kMostThreads];
  const int count = argc - 2 < kMostThreads ? argc - 2 : kMostThreads;
  g_end_ns = NowNs() + (argc > 1 ? atoi(argv[1]) : 1) * 1000000000LL;
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], NULL, Churn, argv[2 + i]) != 0) return 1;
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  return g_failed;
}
