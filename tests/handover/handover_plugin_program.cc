// handover_plugin_program PLUGIN FILE: loads the full library and closes it again, on another thread, while others
// mark.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "marker_load.h"

namespace {

template <typename Function>
Function* Find(void* plugin, const char* name) {
  return reinterpret_cast<Function*>(dlsym(plugin, name));
}

// By whatever version its file name ends in.
bool IsLoaded(const char* name) {
  const auto look = [](dl_phdr_info* info, size_t, void* wanted) {
    return strstr(info->dlpi_name, static_cast<const char*>(wanted)) != nullptr ? 1 : 0;
  };
  return dl_iterate_phdr(look, const_cast<char*>(name)) != 0;
}

void UsePlugin(const char* path, const char* file, bool last) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return;
  }
  printf("loaded %d\n", IsLoaded("libgeckoprofiler"));
  printf("take over %d\n", Find<int()>(plugin, "PluginTakeOver")());
  BASE_PROFILER_MARKER_UNTYPED("during", OTHER);
  WorkFor(20 * kMs);
  printf("after sampling %d\n", Find<int()>(plugin, "PluginCallAfterSampling")());
  if (last) printf("save %d\n", Find<int(const char*)>(plugin, "PluginSave")(file));
  dlclose(plugin);
  printf("still loaded %d\n", IsLoaded("libgeckoprofiler"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  AUTO_BASE_PROFILER_LABEL("open all the while", OTHER);
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  MarkerLoad load(3);
  WorkFor(20 * kMs);
  for (int i = 0; i < 5; ++i) {
    std::thread other([&] { UsePlugin(argv[1], argv[2], i == 4); });
    WorkFor(20 * kMs);
    other.join();
    std::thread([] {}).join();
  }
  BASE_PROFILER_MARKER_UNTYPED("after", OTHER);
  WorkFor(30 * kMs);
  load.Stop();
  return 0;
}
