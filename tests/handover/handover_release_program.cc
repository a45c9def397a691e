// handover_release_program MODE FILE: uses both APIs beside a base of another release.
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "marker_load.h"
#include "outcome_lines.h"

namespace {

// The same calls beside each: what they answer is compared.
void All(const char* file) {
  alarm(60);
  AUTO_BASE_PROFILER_LABEL("open all the while", OTHER);
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  MarkerLoad load(2);
  PrintWhy("init", profiler_init());
  WorkFor(20 * kMs);
  PrintWhy("start", profiler_start(16 << 20, 0.5, ProfilerFeature::StackWalk).outcome);
  WorkFor(20 * kMs);
  printf("active %d\n", profiler_is_active());
  PrintWhy("pause", profiler_pause_sampling());
  PrintWhy("resume", profiler_resume_sampling());
  // Only where there are ticks to hear of.
  std::atomic<bool> called{false};
  const bool added = profiler_callback_after_sampling([&](SamplingState) { called = true; });
  while (added && !called) usleep(1000);
  printf("after sampling %d\n", added);
  double interval_ms = -1;
  profiler_get_start_params(nullptr, nullptr, &interval_ms, nullptr, nullptr);
  printf("interval %g\n", interval_ms);
  printf("buffer %d\n", profiler_get_buffer_info().has_value());
  {
    AUTO_PROFILER_REGISTER_THREAD("registered by the full library");
    WorkFor(5 * kMs);
  }
  PrintWhy("save", profiler_save_profile(file));
  PrintWhy("shutdown", profiler_shutdown());
  BASE_PROFILER_MARKER_UNTYPED("after", OTHER);
  WorkFor(20 * kMs);
  load.Stop();
}

// A recording of ours, from start to stop.
void Own(const char* file) {
  alarm(60);
  PrintWhy("start", profiler_start(16 << 20, 1, 0).outcome);
  PrintWhy("again", profiler_start(16 << 20, 1, 0).outcome);
  WorkFor(20 * kMs);
  PrintWhy("save", profiler_save_profile(file));
  PrintWhy("stop", profiler_stop());
  printf("active %d\n", profiler_is_active());
}

}  // namespace

int main(int argc, char** argv) { return RunMode(argc, argv, {{"all", All}, {"own", Own}}); }
