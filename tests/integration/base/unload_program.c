// unload_program PLUGIN: loads the plugin, works in it for 100 ms, unloads it for good, and works for 60 ms more.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static long long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!plugin) return 1;
  void* symbol = dlsym(plugin, "churn_plugin_work");
  uint64_t (*work)(uint64_t);
  __builtin_memcpy(&work, &symbol, sizeof work);
  uint64_t value = 1;
  for (const long long end = NowNs() + 100 * 1000 * 1000; NowNs() < end;) value = work(value);
  dlclose(plugin);
  for (const long long end = NowNs() + 60 * 1000 * 1000; NowNs() < end;) {
  }
  return value == 0;
}
