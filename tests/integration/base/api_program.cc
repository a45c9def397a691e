// api_program MODE: uses the base profiler's API, linked. It is started with GECKOPROF_STARTUP=1 and a session
// directory; most modes stop that recording and make their own, which is the process's second segment.
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "baseprofiler/base_profiler.h"

namespace {

using namespace geckoprof::baseprofiler;  // NOLINT: as the header's example has it

constexpr int64_t kMs = 1'000'000;
std::atomic<uint64_t> g_sum{0};

int64_t OwnCpuNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// Works in user space for so much CPU time. On a busy machine, the thread may have no core for milliseconds.
__attribute__((noinline)) void WorkFor(int64_t ns) {
  uint64_t sum = 1;
  for (const int64_t end = OwnCpuNs() + ns; OwnCpuNs() < end;) {
    for (int i = 0; i < 20'000; ++i) sum = sum * 6364136223846793005u + 1;
  }
  g_sum.fetch_add(sum, std::memory_order_relaxed);
}

bool Restart() {
  profiler_stop();
  return profiler_start(8 << 20, 1) == StartResult::kStarted;
}

void PrintState(const char* when) {
  printf("%s: active %d unpaused %d paused %d\n", when, profiler_is_active(), profiler_is_active_and_unpaused(),
         profiler_is_paused());
}

void States() {
  const auto start = [] { printf("start %d\n", static_cast<int>(profiler_start(1, 0.0001))); };
  const auto stop = [] { printf("stop %d\n", profiler_stop()); };
  const auto pause = [] { printf("pause %d\n", profiler_pause()); };
  const auto resume = [] { printf("resume %d\n", profiler_resume()); };
  PrintState("at first");
  start();
  stop();
  stop();
  PrintState("stopped");
  pause();
  resume();
  start();
  start();
  PrintState("started");
  pause();
  pause();
  PrintState("paused");
  start();
  resume();
  resume();
  PrintState("resumed");
  pause();
  stop();
  printf("excluded %d\n", static_cast<int>(profiler_start(0, 0, 0, {"pid:1"})));
  PrintState("at last");
}

__attribute__((noinline)) void Inner() {
  AUTO_BASE_PROFILER_LABEL("api inner", OTHER);
  WorkFor(60 * kMs);
  g_sum.fetch_add(1, std::memory_order_relaxed);
}

__attribute__((noinline)) void Middle(const char* detail) {
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("api middle", NETWORK, detail);
  Inner();
  // Waiting, too, is seen under its labels.
  for (int i = 0; i < 40; ++i) {
    WorkFor(200'000);
    usleep(1500);
  }
}

__attribute__((noinline)) void Outer() {
  AUTO_BASE_PROFILER_LABEL("api outer", OTHER);
  Middle("some detail");
  g_sum.fetch_add(1, std::memory_order_relaxed);
}

void Labels() {
  if (Restart()) Outer();
}

void OpenLabels() {
  profiler_stop();
  AUTO_BASE_PROFILER_LABEL("open before the start", OTHER);
  profiler_start(8 << 20, 1);
  WorkFor(50 * kMs);
  profiler_stop();
  profiler_start(8 << 20, 1);
  WorkFor(50 * kMs);
}

void Markers() {
  profiler_stop();
  BASE_PROFILER_MARKER_UNTYPED("while inactive", OTHER);
  AddMarker("while inactive", Category::OTHER, MarkerTiming::InstantNow(), "unguarded");
  profiler_start(8 << 20, 1);
  WorkFor(20 * kMs);
  const int64_t start = geckoprof_base_now();
  BASE_PROFILER_MARKER_UNTYPED("untyped", OTHER);
  BASE_PROFILER_MARKER_UNTYPED("untyped at", TIMER, MarkerTiming::InstantAt(start));
  WorkFor(2 * kMs);
  BASE_PROFILER_MARKER_TEXT("interval", NETWORK, MarkerTiming::IntervalUntilNowFrom(start), std::string("of main"));
  BASE_PROFILER_MARKER_TEXT("begins", OTHER, MarkerTiming::IntervalStart(), "phase 2");
  BASE_PROFILER_MARKER_TEXT("ends", OTHER, MarkerTiming::IntervalEnd(), "phase 3");
  BASE_PROFILER_MARKER_TEXT("long text", OTHER, MarkerTiming::InstantNow(), std::string(100'000, 'x'));
  std::thread([] {
    profiler_register_thread("marker thread");
    for (int i = 0; i < 1000; ++i) {
      BASE_PROFILER_MARKER_TEXT("from a thread", OTHER, MarkerTiming::InstantNow(), std::to_string(i));
    }
    WorkFor(30 * kMs);
  }).join();
  profiler_pause();
  BASE_PROFILER_MARKER_UNTYPED("while paused", OTHER);
  AddMarker("while paused", Category::OTHER, MarkerTiming::InstantNow(), "unguarded");
  profiler_resume();
  BASE_PROFILER_MARKER_UNTYPED("after resuming", OTHER);
  WorkFor(5 * kMs);
}

void Pause() {
  Restart();
  WorkFor(60 * kMs);
  profiler_pause();
  const int64_t paused = geckoprof_base_now();
  WorkFor(120 * kMs);
  const int64_t resumed = geckoprof_base_now();
  profiler_resume();
  WorkFor(60 * kMs);
  printf("%lld %lld\n", static_cast<long long>(paused), static_cast<long long>(resumed));
}

void Threads() {
  Restart();
  std::thread([] {
    AUTO_BASE_PROFILER_REGISTER_THREAD("outer name");
    {
      AUTO_BASE_PROFILER_REGISTER_THREAD("inner name");
      WorkFor(30 * kMs);
    }
    WorkFor(30 * kMs);
  }).join();
  std::thread([] { WorkFor(30 * kMs); }).join();
  WorkFor(30 * kMs);
  std::thread([] {
    BASE_PROFILER_REGISTER_THREAD("lives on");
    for (;;) WorkFor(kMs);
  }).detach();
  WorkFor(100 * kMs);
}

void MarkerAtOnce() {
  profiler_stop();
  profiler_start(8 << 20, 1);
  BASE_PROFILER_MARKER_UNTYPED("at once", OTHER);
  WorkFor(20 * kMs);
}

// Two threads with names, one of which lives too short for a second look.
void ShortThread() {
  Restart();
  WorkFor(5 * kMs);
  std::thread([] {
    WorkFor(6 * kMs);
    BASE_PROFILER_REGISTER_THREAD("named at last");
    WorkFor(6 * kMs);
  }).join();
  std::thread([] {
    BASE_PROFILER_REGISTER_THREAD("named at once");
    WorkFor(8 * kMs);
  }).join();
  WorkFor(50 * kMs);
}

// Threads that name themselves by the kernel's call, or are named, and end before a second look. Some end within a
// tick.
void KernelNames() {
  Restart();
  WorkFor(5 * kMs);
  std::thread([] {
    WorkFor(6 * kMs);
    prctl(PR_SET_NAME, "by prctl", 0, 0, 0);
    WorkFor(6 * kMs);
  }).join();
  std::thread([] {
    WorkFor(6 * kMs);
    pthread_setname_np(pthread_self(), "by pthread");
  }).join();
  std::atomic<bool> works{false}, is_named{false};
  std::thread named([&] {
    while (!is_named) {
      WorkFor(4 * kMs);
      works = true;
    }
  });
  while (!works) WorkFor(kMs);
  pthread_setname_np(named.native_handle(), "by another");
  is_named = true;
  named.join();
  for (int i = 0; i < 20; ++i) {
    std::thread([] { prctl(PR_SET_NAME, "at once", 0, 0, 0); }).join();
  }
  WorkFor(50 * kMs);
}

// A signal's handler marks before the thread's own first instruction.
void HandlerAtOnce() {
  Restart();
  signal(SIGUSR1, [](int) { BASE_PROFILER_MARKER_UNTYPED("at once", OTHER); });
  for (int i = 0; i < 150; ++i) {
    std::thread thread([] { BASE_PROFILER_MARKER_UNTYPED("afterwards", OTHER); });
    pthread_kill(thread.native_handle(), SIGUSR1);
    thread.join();
  }
  WorkFor(10 * kMs);
}

// A thread that named itself ends, and the next, on the same stack, is named from outside before the sampler looks
// again.
void StackAgain() {
  profiler_stop();
  profiler_start(8 << 20, 200);
  WorkFor(5 * kMs);
  for (int round = 0; round < 4; ++round) {
    pthread_t earlier = {};
    std::thread first([&earlier] {
      earlier = pthread_self();
      pthread_setname_np(earlier, "named itself");
    });
    first.join();
    std::atomic<bool> began = false, may_end = false;
    std::thread second([&] {
      for (began = true; !may_end;) usleep(100);
    });
    if (second.native_handle() != earlier) printf("another stack\n");
    while (round % 2 == 0 && !began) usleep(100);  // or before it runs: then its name may be lost
    pthread_setname_np(second.native_handle(), "was named");
    may_end = true;
    second.join();
  }
  WorkFor(10 * kMs);
}

// Names itself half a second into its life, and lives for half a second more.
void LateName() {
  Restart();
  std::thread([] {
    WorkFor(100 * kMs);
    BASE_PROFILER_REGISTER_THREAD("late name");
    WorkFor(200 * kMs);
  }).join();
  WorkFor(20 * kMs);
}

void ManyRecordings() {
  for (int i = 0; i < 10; ++i) {
    if (!Restart()) puts("not started");
    WorkFor(5 * kMs);
    BASE_PROFILER_MARKER_TEXT("recording", OTHER, MarkerTiming::InstantNow(), std::to_string(i));
  }
}

// Started by the API alone.
void StartOnly() {
  printf("start %d\n", static_cast<int>(profiler_start(8 << 20, 1)));
  WorkFor(30 * kMs);
}

void Filters() {
  profiler_stop();
  profiler_start(8 << 20, 1, 0, {"wanted"});
  std::thread wanted([] {
    BASE_PROFILER_REGISTER_THREAD("a Wanted thread");
    WorkFor(100 * kMs);
  });
  WorkFor(100 * kMs);
  wanted.join();
}

void Duration() {
  profiler_stop();
  profiler_start(8 << 20, 1, 0, {}, 0.05);
  WorkFor(300 * kMs);
  for (int i = 0; i < 100 && profiler_is_active(); ++i) WorkFor(100 * kMs);  // The sampler is late on a busy machine.
  PrintState("after the duration");
}

constexpr struct {
  const char* name;
  void (*run)();
} kModes[] = {{"states", States},
              {"marker-at-once", MarkerAtOnce},
              {"labels", Labels},
              {"open-labels", OpenLabels},
              {"markers", Markers},
              {"pause", Pause},
              {"threads", Threads},
              {"filters", Filters},
              {"short-thread", ShortThread},
              {"kernel-names", KernelNames},
              {"handler-at-once", HandlerAtOnce},
              {"stack-again", StackAgain},
              {"late-name", LateName},
              {"duration", Duration},
              {"start-only", StartOnly},
              {"many-recordings", ManyRecordings}};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& mode : kModes) {
    if (argc == 2 && strcmp(argv[1], mode.name) == 0) {
      mode.run();
      return 0;
    }
  }
  return 2;
}
