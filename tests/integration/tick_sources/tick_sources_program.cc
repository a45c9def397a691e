// A program with counters that the full library asks for. Its argument says what it does.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "geckoprofiler/gecko_profiler.h"

namespace {

using geckoprof::AskedCounter;

std::atomic<int64_t> level{0};

int64_t NowMs() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

// Uses a core, memory and files, and raises the level.
void Work(int64_t ms) {
  const int64_t until_ms = NowMs() + ms;
  const int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
  while (NowMs() < until_ms) {
    ++level;
    char bytes[4096] = {};
    if (write(sink, bytes, sizeof(bytes)) < 0) abort();
    for (int i = 0; i < 2000; ++i) level.load();
  }
  close(sink);
}

void Touch(size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) abort();
}

void Save(const char* file) {
  const auto saved = profiler_save_profile(file);
  if (!saved) {
    fprintf(stderr, "%s\n", saved.Text().c_str());
    exit(1);
  }
}

// Counters of all kinds. One blocks, one throws, one removes another.
void Ask(const char* file) {
  AskedCounter value("level", "Server", "The level", [] { return level.load(); },
                     {"", nullptr, geckoprof::CounterGraph::kAccumulated});
  int64_t before = 0;
  AskedCounter change("growth", "Server", "Its growth",
                      [&before] {
                        const int64_t now = level.load(), grown = now - before;
                        before = now;
                        return grown;
                      },
                      {"", nullptr, geckoprof::CounterGraph::kByCategory, true, 20});
  std::atomic<int> blocked_calls{0};
  std::atomic<bool> goes_on{false};
  {
    AskedCounter blocks("blocks", "Server", "It blocks", [&] {
      ++blocked_calls;
      while (!goes_on) usleep(1000);
      return 1;
    });
    AskedCounter throws("throws", "Server", "It throws", []() -> int64_t { throw std::runtime_error("no"); });
    Work(150);
    const int64_t seen = level.load();
    Work(150);
    printf("blocked calls %d, level %d\n", blocked_calls.load(), level.load() > seen);
    goes_on = true;
  }
  auto last = std::make_unique<AskedCounter>("last", "Server", "It goes", [] { return 1; });
  std::atomic<bool> is_gone{false};
  AskedCounter removes("removes", "Server", "It removes another", [&] {
    last.reset();
    is_gone = true;
    return 1;
  });
  while (!is_gone) Work(5);
  Touch(32 << 20);
  Work(100);
  Save(file);
}

// Functions that take long, and one that does not.
void Turns(const char* file) {
  const auto slow = [] {
    usleep(60'000);
    return 1;
  };
  AskedCounter first("first", "Server", "It takes long", slow);
  AskedCounter second("second", "Server", "It takes long", slow);
  AskedCounter third("third", "Server", "It takes long", slow);
  AskedCounter value("level", "Server", "The level", [] { return level.load(); });
  Work(1000);
  Save(file);
}

// A counter that is made again with the same name.
void Remade(const char* file) {
  level = 1'000'000;
  const int64_t before = level;
  for (int i = 0; i < 3; ++i) {
    AskedCounter value("level", "Server", "The level", [] { return level.load(); });
    Work(100);
  }
  printf("change %d\n", static_cast<int>(level - before));
  Save(file);
}

// More counters than there may be.
void Many() {
  std::vector<std::unique_ptr<AskedCounter>> counters;
  int refused = 0;
  for (int i = 0; i < 515; ++i) {
    const std::string name = "level " + std::to_string(i);
    counters.push_back(
        std::make_unique<AskedCounter>(name.c_str(), "Server", "The level", [] { return level.load(); }));
    if (counters.back()->outcome().status == geckoprof::ProfilerStatus::kRefused) ++refused;
  }
  printf("refused %d\n", refused);
  Work(50);
}

void Crash() {
  AskedCounter crashes("crashes", "Server", "It crashes", [] {
    if (level > 200) *static_cast<volatile int*>(nullptr) = 1;  // NOLINT: the case
    return level.load();
  });
  Work(3000);
}

void Fork(const char* file) {
  AskedCounter value("level", "Server", "The level", [] { return level.load(); });
  Work(60);
  const pid_t child = fork();
  if (child == 0) {
    Touch(16 << 20);
    Work(400);
    _exit(0);
  }
  Work(100);
  waitpid(child, nullptr, 0);
  // The chunk of a thread that has ended is finished, and younger than the child's end.
  std::thread([] { PROFILER_MARKER_UNTYPED("late", OTHER); }).join();
  Work(10);
  Save(file);
}

// The hooks library is there from the begin, and a recording with its features begins later.
void Hooks(const char* file) {
  const auto started = profiler_start(0, 1, ProfilerFeature::FileIO | ProfilerFeature::Memory);
  if ((started.features & ProfilerFeature::Memory) == 0 || !profiler_feature_active(ProfilerFeature::FileIO)) {
    printf("features %x\n", started.features);
  }
  const int data = open((std::string(file) + ".data").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::vector<char> bytes(1 << 20);
  for (int i = 0; i < 100; ++i) {
    if (write(data, bytes.data(), 1000) < 0) abort();
  }
  close(data);
  Work(50);
  Save(file);
}

// The thread count of the process is visible to the program only as base allows.
void Alone() {
  AskedCounter value("level", "Server", "The level", [] { return level.load(); });
  Work(30);
  if (unshare(CLONE_NEWUSER) != 0 && errno == EINVAL) printf("not alone\n");
  Work(30);
}

void Exit() {
  static std::string text(1000, 'x');  // destroyed before this library's own objects
  static AskedCounter value("text", "Server", "Its length", [] { return text.size(); });
  AskedCounter* const leaked = new AskedCounter("leaked", "Server", "Its length", [] { return text.size() + text[5]; });
  printf("%d\n", leaked->outcome().status == geckoprof::ProfilerStatus::kDone);
  Work(50);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const char* const file = argc > 2 ? argv[2] : "";
  const int lowest = dup(0);
  close(lowest);
  profiler_init();
  if (what != "record" && what != "hooks") profiler_start();
  if (what == "ask") Ask(file);
  if (what == "turns") Turns(file);
  if (what == "remade") Remade(file);
  if (what == "many") Many();
  if (what == "crash") Crash();
  if (what == "fork") Fork(file);
  if (what == "hooks") Hooks(file);
  if (what == "alone") Alone();
  if (what == "exit") Exit();
  if (what == "work" || what == "record") {
    AskedCounter value("level", "Server", "The level", [] { return level.load(); });
    Work(100);
    Touch(32 << 20);
    Work(200);
    if (*file != '\0') Save(file);
  }
  if (what == "kill") {
    AskedCounter value("level", "Server", "The level", [] { return level.load(); });
    Work(300);
    kill(getpid(), SIGKILL);
  }
  if (what == "last_thread") {
    AskedCounter* const value = new AskedCounter("level", "Server", "The level", [] { return level.load(); });
    (void)value;
    Work(50);
    pthread_exit(nullptr);
  }
  if (what == "again") {
    AskedCounter value("level", "Server", "The level", [] { return level.load(); });
    for (int i = 0; i < 3; ++i) {
      Work(40);
      profiler_stop();
      profiler_start();
    }
    Work(80);
    Save(file);
    profiler_shutdown();
  }
  const int then = dup(0);
  if (then != lowest) printf("descriptors %d, not %d\n", then, lowest);
  return 0;
}
