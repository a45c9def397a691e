// dlopen_churn ROUNDS: loads the plugin, works in it, unloads it, again and again, while a second thread works too.
// What was sampled inside the plugin must still be named after it has gone. Prints one number.
#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

std::string PluginPath() {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return "./libchurn_plugin.so";
  return std::string(dirname(path)) + "/libchurn_plugin.so";
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 200;
  const std::string path = PluginPath();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    volatile uint64_t sum = 0;
    while (!stop.load()) sum = sum + 1;
  });
  uint64_t value = 1;
  int status = 0;
  for (int i = 0; i < rounds && status == 0; i++) {
    void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* work = plugin ? reinterpret_cast<uint64_t (*)(uint64_t)>(dlsym(plugin, "churn_plugin_work")) : nullptr;
    if (!work) {
      fprintf(stderr, "%s\n", dlerror());
      status = 1;
      break;
    }
    value = work(value);
    dlclose(plugin);
  }
  stop.store(true);
  other.join();
  printf("dlopen_churn %d rounds %016llx\n", rounds, static_cast<unsigned long long>(value));
  return status;
}
