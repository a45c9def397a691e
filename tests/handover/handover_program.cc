// handover_program MODE FILE: uses both APIs. FILE: where the full library saves the profile.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"
#include "marker_load.h"
#include "outcome_lines.h"

namespace {

using geckoprof::ProfilerStatus;

// Busy after main and after every hand-back.
struct LateObject {
  ~LateObject() {
    AUTO_BASE_PROFILER_LABEL("static destructor", OTHER);
    WorkFor(40 * kMs);
  }
} g_late;

void PrintSaved(const char* file) { PrintWhy("save", profiler_save_profile(file)); }

// Base records since the start of the process; the full library has it for a while.
void Linked(const char* file) {
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  MarkerLoad load(4);
  {
    AUTO_BASE_PROFILER_LABEL("open all the while", OTHER);
    WorkFor(50 * kMs);
    Print("init", profiler_init());
    printf("active %d\n", profiler_is_active());
    BASE_PROFILER_MARKER_UNTYPED("owned", OTHER);
    WorkFor(50 * kMs);
    printf("start: %s\n", profiler_start(32 << 20, 0.5, 0).outcome.Text().c_str());
    WorkFor(50 * kMs);
    BASE_PROFILER_MARKER_UNTYPED("started", OTHER);
    Print("shutdown", profiler_shutdown());
    BASE_PROFILER_MARKER_UNTYPED("after", OTHER);
    WorkFor(50 * kMs);
    Print("init", profiler_init());
  }
  load.Stop();
  PrintSaved(file);
}

// Nobody started base: the full library does, before init.
void Alone(const char* file) {
  printf("active %d\n", profiler_is_active());
  Print("stop", profiler_stop());
  const auto result = profiler_start(1 << 20, 1, UINT32_MAX & ~ProfilerFeature::NoStackSampling);
  Print("start", result.outcome);
  printf("features %x refused %zu\n", result.features, result.refusals.size());
  MarkerLoad load(2);
  {
    AUTO_BASE_PROFILER_LABEL("alone", OTHER);
    WorkFor(250 * kMs);
  }
  load.Stop();
  const auto info = profiler_get_buffer_info();
  printf("buffer %d\n", info.has_value() && info->used_bytes > 0 && info->range_end > info->range_start);
  PrintSaved(file);
  Print("ensure", profiler_ensure_started(1 << 20, 1, 0).outcome);
  Print("ensure", profiler_ensure_started(1 << 20, 1, 0).outcome);
  Print("stop", profiler_stop());
  printf("active %d\n", profiler_is_active());
  Print("get", profiler_get_profile().error());
}

#ifdef __SANITIZE_THREAD__
constexpr int kCycles = 300;
#else
constexpr int kCycles = 1000;
#endif

void Cycles(const char* file) {
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  MarkerLoad load(4);
  ThreadChurn churn(4);
  WorkFor(20 * kMs);
  int done = 0;
  for (int i = 0; i < kCycles; ++i) {
    if (profiler_init().status == ProfilerStatus::kDone && profiler_shutdown().status == ProfilerStatus::kDone) ++done;
  }
  churn.Stop();
  load.Stop();
  printf("cycles %d\n", done);
  PrintSaved(file);
}

// What base's API does is told to the full library's listeners, and the other way round.
void BothApis(const char*) {
  std::atomic<int> heard{0};
  profiler_init();
  profiler_add_state_change_callback(
      ProfilingStateSet::AllStates(), [&](ProfilingState state) { heard |= static_cast<int>(state); }, 1);
  geckoprof::baseprofiler::profiler_pause();
  printf("paused %d\n", profiler_is_paused());
  profiler_resume();
  printf("base active and unpaused %d\n", geckoprof::baseprofiler::profiler_is_active_and_unpaused());
  profiler_pause_sampling();
  profiler_pause();
  profiler_resume();
  printf("sampling paused %d, all paused %d\n", profiler_is_sampling_paused(), profiler_is_paused());
  profiler_resume_sampling();
  printf("sampling paused %d\n", profiler_is_sampling_paused());
  std::atomic<int> after{-1};
  printf("added %d\n", profiler_callback_after_sampling([&](SamplingState state) { after = static_cast<int>(state); }));
  while (after == -1) usleep(1000);
  printf("after sampling %d\n", after.load());
  geckoprof::baseprofiler::profiler_stop();
  const int wanted = static_cast<int>(ProfilingState::AlreadyActive) | static_cast<int>(ProfilingState::Pausing) |
                     static_cast<int>(ProfilingState::Resumed) | static_cast<int>(ProfilingState::Stopping);
  for (int i = 0; i < 5000 && heard != wanted; ++i) usleep(1000);
  printf("heard all %d\n", heard == wanted);
  printf("active %d\n", profiler_is_active());
  profiler_remove_state_change_callback(1);
}

void Duration(const char* file) {
  std::atomic<int> heard{0};
  profiler_init();
  profiler_add_state_change_callback(
      ProfilingStateSet::AllStates(), [&](ProfilingState state) { heard |= static_cast<int>(state); }, 1);
  Print("start", profiler_start(0, 1, 0, nullptr, 0, 0.1).outcome);
  WorkFor(400 * kMs);
  const auto stopped = [&] { return (heard & static_cast<int>(ProfilingState::Stopping)) != 0; };
  for (int i = 0; i < 5000 && !stopped(); ++i) usleep(1000);
  printf("heard that it stopped %d\n", stopped());
  printf("active %d\n", profiler_is_active());
  PrintSaved(file);
  printf("heard of the profile %d\n", (heard & static_cast<int>(ProfilingState::GeneratingProfile)) != 0);
}

// A recording that is older than its duration by the time that it is given one.
void DurationOfCall(const char* file) {
  WorkFor(300 * kMs);
  const int64_t call_ns = geckoprof_base_now();
  Print("start", profiler_start(0, 1, 0, nullptr, 0, 0.2).outcome);
  while (profiler_is_active() && geckoprof_base_now() - call_ns < 20'000 * kMs) usleep(1000);
  printf("active %d, too early %d\n", profiler_is_active(), geckoprof_base_now() - call_ns < 200 * kMs);
  PrintSaved(file);
}

// Base records into the smallest buffer; the full library asks for a larger one, and then comes what would not have
// fitted: in any window of the smaller one's size, no beginning.
void LargerCapacity(const char* file) {
  const auto print = [](const char* what) {
    const auto info = profiler_get_buffer_info().value_or(ProfilerBufferInfo{});
    printf("%s: capacity %lu, more than 8 MiB %d\n", what, info.capacity_bytes, info.used_bytes > 8 << 20);
  };
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  print("small");
  Print("start", profiler_start(8 << 20, 1, 0).outcome);
  MarkerLoad load(4, 3000, 1000);  // not faster than the sampler makes room
  while (profiler_get_buffer_info().value_or(ProfilerBufferInfo{}).used_bytes < 12 << 20) WorkFor(10 * kMs);
  load.Stop();
  print("large");
  PrintSaved(file);
}

// The child of a fork is a process of its own: nothing in it may wait for threads that it has not.
// `meanwhile`: another thread hands over and back all the time, so that many forks come in the middle of that.
void Fork(const char* file, bool meanwhile) {
  profiler_init();
  profiler_add_state_change_callback(
      ProfilingStateSet::AllStates(), [](ProfilingState) {}, 1);  // the library has a thread of its own for it
  MarkerLoad load(2);
  std::atomic<bool> ends{false};
  std::thread changer([&] {
    while (meanwhile && !ends) {
      profiler_shutdown();
      profiler_init();
      profiler_callback_after_sampling([](SamplingState) {});
    }
  });
  int fine = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      profiler_init();
      profiler_callback_after_sampling([](SamplingState) {});
      const bool good = static_cast<bool>(profiler_shutdown()) && static_cast<bool>(profiler_init());
      std::atomic<bool> called{i >= 5};  // of a few: on a busy machine a start takes its time
      if (!called) profiler_start(1 << 20, 1, 0);
      if (profiler_callback_after_sampling([&](SamplingState) { called = true; })) {
        while (!called) usleep(1000);
      }
      _exit(good && called ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fine += WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ends = true;
  changer.join();
  load.Stop();
  printf("children %d\n", fine);
  PrintSaved(file);
}

void Forked(const char* file) { Fork(file, false); }
void ForkedMeanwhile(const char* file) { Fork(file, true); }

}  // namespace

int main(int argc, char** argv) {
  return RunMode(argc, argv,
                 {{"linked", Linked},
                  {"alone", Alone},
                  {"cycles", Cycles},
                  {"both_apis", BothApis},
                  {"duration", Duration},
                  {"duration_of_call", DurationOfCall},
                  {"larger_capacity", LargerCapacity},
                  {"forked", Forked},
                  {"forked_meanwhile", ForkedMeanwhile}});
}
