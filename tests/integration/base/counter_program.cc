// counter_program PLUGIN: counts in every way there is, and prints for each counter "name count number". It is started
// with GECKOPROF_STARTUP=1 and a session directory.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"

namespace {

PROFILER_DEFINE_COUNT_TOTAL(bytes, "Memory", "Bytes of the test", {.unit = "bytes"});
PROFILER_DEFINE_COUNT(requests, "Server", "Requests of the test", {.color = "purple"});
BASE_PROFILER_DEFINE_COUNT(level, "Test", "A level", {.graph = geckoprof::CounterGraph::kAccumulated});
PROFILER_DEFINE_STATIC_COUNT(unused, "Test", "Never used");

constexpr int kThreads = 4;
constexpr int kTimes = 20'000;

geckoprof_counter* Create(const char* name) {
  const geckoprof_counter_description description = {
      sizeof description, GECKOPROF_COUNTER_HAS_NUMBER, name, "Test", "", "", nullptr};
  return geckoprof_base_counter_create(&description);
}

// Several threads use it first at the same time.
void AddFromThreads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kTimes; ++i) {
        AUTO_PROFILER_COUNT_TOTAL(bytes, i % 7);
        ++profiler_count_requests;
        if (i % 1000 == 0) usleep(500);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void CreateAndDestroy() {
  for (int i = 0; i < 40; ++i) {
    char name[32];
    snprintf(name, sizeof name, "short_%02d", i);
    geckoprof_counter* const counter = Create(name);
    geckoprof_base_counter_add(counter, i);
    if (i % 2 == 0) usleep(1500);
    geckoprof_base_counter_add(counter, 1000);
    geckoprof_base_counter_destroy(counter);
    geckoprof_base_counter_add(counter, 1'000'000);  // late
    printf("%s %d 2\n", name, i + 1000);
  }
}

bool UsePlugin(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW);
  if (plugin == nullptr) return false;
  reinterpret_cast<void (*)(int)>(dlsym(plugin, "CountInPlugin"))(100);
  usleep(3000);
  dlclose(plugin);
  puts("plugin_bytes 300 100");
  return true;
}

// The child goes on from its parent's counts.
void Fork(geckoprof_counter* counter) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    usleep(10'000);
    for (int i = 0; i < 5; ++i) {
      geckoprof_base_counter_add(counter, 10);
      usleep(2000);
    }
    geckoprof_counter* const own = Create("childs_own");
    geckoprof_base_counter_add(own, 4);
    geckoprof_base_counter_destroy(own);
    usleep(5000);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %d\n", child);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  geckoprof_counter* const forked = Create("forked");
  geckoprof_base_counter_add(forked, 7);
  usleep(5000);
  AddFromThreads();
  CreateAndDestroy();
  if (!UsePlugin(argv[1])) return 3;
  profiler_count_level.Set(90);
  usleep(3000);
  {
    AUTO_PROFILER_COUNT_IN_SCOPE(level, 10);
    usleep(3000);
  }
  Fork(forked);
  usleep(20'000);  // nothing changes
  geckoprof_base_counter_add(forked, 1);
  long long sum = 0;
  for (int i = 0; i < kTimes; ++i) sum += i % 7;
  printf("bytes %lld %d\nrequests %d 0\nlevel 90 0\nforked 8 2\n", sum * kThreads, kThreads * kTimes,
         kThreads * kTimes);
  return 0;
}
