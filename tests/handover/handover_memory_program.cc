// handover_memory_program MODE FILE: calls of the full library when memory runs out in the middle of them.
#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "marker_load.h"
#include "outcome_lines.h"

extern "C" void* __libc_malloc(size_t size);

namespace {

using geckoprof::ProfilerStatus;

constexpr int kWatchdogSeconds = 40;

// Of this thread: how many more times malloc works. -1: for ever. It fails from then on.
thread_local int t_left = -1;
thread_local bool t_failed = false;
// After how many more allocations a signal comes. -1: none.
thread_local int t_until_signal = -1;

}  // namespace

// Stands in front of libc's, operator new's included.
extern "C" void* malloc(size_t size) {
  if (t_until_signal >= 0 && t_until_signal-- == 0) raise(SIGUSR1);
  if (t_left == 0) {
    t_failed = true;
    errno = ENOMEM;
    return nullptr;
  }
  if (t_left > 0) --t_left;
  return __libc_malloc(size);
}

namespace {

// With no memory after none, one, two... allocations, until it needs no more. What is said then, `check` finds out.
template <typename Call, typename Restore>
void TryEach(const char* what, Call call, Restore restore) {
  int threw = 0;
  // The profile grows meanwhile: of very many not each is tried.
  for (int allowed = 0; allowed < 100'000; allowed += 1 + allowed / 100) {
    t_failed = false;
    bool good = false;
    try {
      t_left = allowed;
      good = call();
      t_left = -1;
    } catch (...) {
      t_left = -1;
      ++threw;
    }
    // Whatever became of it, nobody holds a lock.
    std::thread([] { profiler_pause_sampling(), profiler_resume_sampling(); }).join();
    restore();
    if (!t_failed) {
      printf("%s: threw %d, works at last %d\n", what, threw, good);
      fflush(stdout);
      return;
    }
  }
  printf("%s: no end\n", what);
}

// The filters make every part of it longer than what fits into a string itself.
void Allocations(const char* file) {
  static const char* const kFilters[] = {"a filter that is longer than a short string", "*"};
  const auto none = [] {};
  TryEach(
      "init", [] { return static_cast<bool>(profiler_init()); }, [] { profiler_shutdown(); });
  TryEach(
      "callback", [] { return profiler_callback_after_sampling([](SamplingState) {}); }, [] { profiler_shutdown(); });
  profiler_init();
  TryEach(
      "pause", [] { return profiler_pause() && profiler_resume(); }, [] { profiler_resume(); });
  TryEach(
      "save", [file] { return static_cast<bool>(profiler_save_profile(file)); }, none);
  TryEach(
      "get", [] { return profiler_get_profile().ok(); }, none);
  TryEach(
      "parameters",
      [] {
        std::vector<std::string> filters;
        profiler_get_start_params(nullptr, nullptr, nullptr, nullptr, &filters);
        return !filters.empty();
      },
      none);
  TryEach(
      "start",
      [] {
        return static_cast<bool>(
            profiler_start(1 << 20, 1, UINT32_MAX & ~ProfilerFeature::NoStackSampling, kFilters, 2).outcome);
      },
      none);
  TryEach(
      "backtrace", [] { return profiler_capture_backtrace() != nullptr; }, none);
  TryEach(
      "sample",
      [] {
        struct : ProfilerStackCollector {
          void CollectNativeLeafAddr(void*) override {}
          void CollectProfilingStackFrame(const ProfilerLabelFrame&) override {}
        } collector;
        return static_cast<bool>(profiler_suspend_and_sample_thread(profiler_current_thread_id(), 0, collector));
      },
      none);
  profiler_unregister_thread();
  TryEach(
      "register",
      [] {
        constexpr const char* kName = "a name that is longer than a short string";
        const auto status = profiler_register_thread(kName);
        bool has_name = false;
        geckoprof::ProfilerThreadRegistry::WithThread(
            {}, [&](const auto& thread) { has_name = strcmp(thread.Name(), kName) == 0; });
        if (has_name != (status == ProfilerStatus::kDone)) printf("%s, named %d\n", ToText(status), has_name);
        if (status != ProfilerStatus::kDone && status != ProfilerStatus::kNoMemory) printf("%s\n", ToText(status));
        return status == ProfilerStatus::kDone && profiler_unregister_thread() == ProfilerStatus::kDone;
      },
      none);
  TryEach(
      "shutdown", [] { return static_cast<bool>(profiler_shutdown()); }, [] { profiler_init(); });
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

pid_t g_child = -1;  // 0: in the child

// A handler of a signal forks in the middle of `call`, at its first, second... allocation, whatever it holds there.
// Both processes come to the end of the call, and then do `more`.
template <typename Call, typename More>
void ForkInEach(const char* what, Call call, More more) {
  int fine = 0, forks = 0;
  for (; forks < 300; ++forks) {
    g_child = -1;
    t_until_signal = forks;
    call();
    const bool was_forked = t_until_signal < 0;
    t_until_signal = -1;
    if (!was_forked) break;
    more();
    if (g_child == 0) _exit(7);
    int status = 0;
    waitpid(g_child, &status, 0);
    fine += WIFEXITED(status) && WEXITSTATUS(status) == 7;
  }
  printf("%s: some forks %d, not fine %d\n", what, forks > 0, forks - fine);
  fflush(stdout);
}

void Forks(const char* file) {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    g_child = fork();
    if (g_child == 0) alarm(10);
  };
  sigaction(SIGUSR1, &action, nullptr);
  const auto all = ProfilingStateSet::AllStates();
  const auto start = [] { profiler_start(1 << 20, 1, UINT32_MAX & ~ProfilerFeature::NoStackSampling); };
  const auto more = [] {
    profiler_remove_state_change_callback(1);
    profiler_pause_sampling();
    profiler_resume_sampling();
    profiler_shutdown();
    profiler_init();
  };
  const auto listen = [&] {
    profiler_add_state_change_callback(
        all, [](ProfilingState) {}, 1);
  };
  profiler_init();
  ForkInEach("listen", listen, more);
  ForkInEach(
      "callback", [] { profiler_callback_after_sampling([](SamplingState) {}); }, more);
  ForkInEach(
      "pause", [&] { listen(), profiler_pause(), profiler_resume(); }, more);
  ForkInEach("start", start, more);
  ForkInEach(
      "backtrace", [] { profiler_capture_backtrace(); }, more);
  ForkInEach(
      "register", [] { profiler_unregister_thread(), profiler_register_thread("a name"); }, more);
  start();
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

// No address space for another thing.
void AddressSpace(const char* file) {
  MarkerLoad load(2);
  WorkFor(20 * kMs);
  rlimit before = {};
  getrlimit(RLIMIT_AS, &before);
  rlimit none = before;
  none.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_AS, &none);
  PrintWhy("init", profiler_init());
  printf("callback %d\n", profiler_callback_after_sampling([](SamplingState) {}));
  const auto started = profiler_start(256 << 20, 1, 0).outcome;
  printf("start answers %d\n", static_cast<bool>(started) || !started.Text().empty());
  printf("active %d\n", profiler_is_active());
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("without memory", OTHER);
  PrintWhy("shutdown", profiler_shutdown());
  setrlimit(RLIMIT_AS, &before);
  PrintWhy("init", profiler_init());
  WorkFor(20 * kMs);
  load.Stop();
  PrintWhy("save", profiler_save_profile(file));
}

}  // namespace

int main(int argc, char** argv) {
  alarm(kWatchdogSeconds);
  AUTO_BASE_PROFILER_LABEL("open all the while", OTHER);
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  return RunMode(argc, argv, {{"allocations", Allocations}, {"address_space", AddressSpace}, {"forks", Forks}});
}
