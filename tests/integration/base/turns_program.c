// turns_program TURNS PLUGIN PLUGIN: loads the plugins in turn, works in each for 20 ms, unloads it, and works
// elsewhere for 10 ms. Prints a line for each turn: which one, and the times on CLOCK_MONOTONIC from before its loading
// to after its unloading.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  uint64_t value = 1;
  for (int turn = 0; turn < atoi(argv[1]); ++turn) {
    const int which = turn % 2;
    const long long begin_ns = NowNs();
    void* plugin = dlopen(argv[2 + which], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) return 1;
    void* symbol = dlsym(plugin, "churn_plugin_work");
    uint64_t (*work)(uint64_t);
    __builtin_memcpy(&work, &symbol, sizeof work);
    while (NowNs() < begin_ns + 20 * 1000 * 1000) value = work(value);
    dlclose(plugin);
    printf("%d %lld %lld\n", which, begin_ns, NowNs());
    for (const long long end_ns = NowNs() + 10 * 1000 * 1000; NowNs() < end_ns;) {
    }
  }
  return value == 0;
}
