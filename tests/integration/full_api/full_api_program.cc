// full_api_program FILE: uses all of the full library's C++ API, with whatever standard library and settings it is
// compiled with. Status 0: all was as it should be. It writes the profile to FILE.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"

using namespace geckoprof::baseprofiler;  // NOLINT: no function is ambiguous

#define REQUIRE(condition)                                                         \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                                    \
    }                                                                              \
  } while (false)

namespace {

using geckoprof::LockedThreadData;
using geckoprof::ProfilerBacktrace;
using geckoprof::ProfilerStatus;
using geckoprof::ProfilerThreadId;
using geckoprof::ProfilerThreadRegistry;

// Longer than the texts that any string keeps within itself.
const std::string kLong = "a text that is longer than any string keeps without memory of its own";

std::vector<std::string> g_told;

void Listen() {
  const auto tell = [prefix = kLong](ProfilingState state) {
    g_told.push_back(prefix + std::to_string(static_cast<uint32_t>(state)));
  };
  const std::function<void(ProfilingState)> function = tell;
  REQUIRE(profiler_add_state_change_callback(
      ProfilingStateSet(ProfilingState::Started) + ProfilingState::Pausing + ProfilingState::GeneratingProfile, tell,
      7));
  REQUIRE(profiler_add_state_change_callback(ProfilingState::Stopping, function, 8));
  REQUIRE(!profiler_add_state_change_callback(ProfilingState::Started, std::function<void(ProfilingState)>()));
}

void StartAndAsk() {
  const std::string filter = "pid:" + std::to_string(getpid());
  const char* const filters[] = {"full_api", filter.c_str(), kLong.c_str()};
  const geckoprof::ProfilerStartResult started = profiler_start(
      1u << 17, 0.5, ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization | 1u << 25, filters, 3, 1000.0);
  REQUIRE(started && started.outcome.status == ProfilerStatus::kDone);
  REQUIRE(started.outcome.Text() == "of each filter the first 63 bytes count");
  REQUIRE(started.features == (ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization));
  REQUIRE(started.refusals.size() == 1 && started.refusals[0].name == "bit 25" && !started.refusals[0].reason.empty());

  uint32_t entries = 0, features = 0;
  double interval_ms = 0;
  std::optional<double> duration_s;
  std::vector<std::string> found = {"to be replaced"};
  profiler_get_start_params(&entries, &duration_s, &interval_ms, &features, &found);
  REQUIRE(entries == 1u << 17 && interval_ms == 0.5 && duration_s == 1000.0 && features == started.features);
  REQUIRE(found.size() == 3 && found[0] == "full_api" && found[1] == filter && found[2] == kLong.substr(0, 63));

  REQUIRE(profiler_is_active() && profiler_is_active_and_unpaused() && !profiler_is_paused());
  REQUIRE(profiler_features_if_active().value_or(0) == features);
  REQUIRE(profiler_feature_active(ProfilerFeature::CPUUtilization) && profiler_time() > 0);
  REQUIRE(profiler_set_process_name(kLong.c_str()));
  REQUIRE(profiler_pause() && profiler_is_paused() && profiler_resume());
  REQUIRE(profiler_resume().status == ProfilerStatus::kUnchanged);
  REQUIRE(profiler_ensure_started(1u << 17, 0.5, ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization, filters,
                                  3, 1000.0));
}

void Backtraces() {
  AUTO_PROFILER_LABEL("in a backtrace", OTHER);
  UniqueProfilerBacktrace backtrace = profiler_capture_backtrace();
  REQUIRE(backtrace != nullptr && !backtrace->empty());
  const ProfilerBacktrace copy = *backtrace;
  backtrace.reset();
  bool has_label = false;
  for (size_t i = 0; i < copy.size(); ++i) has_label |= copy.frame(i).label == "in a backtrace";
  REQUIRE(has_label && copy.thread_id() == profiler_current_thread_id() && copy.monotonic_ns() > 0);
  ProfilerBacktrace again;
  REQUIRE(profiler_capture_backtrace_into(again, StackCaptureOptions::NonNative) && again.size() == 1);
  REQUIRE(std::string(again.frame(0).label) == "in a backtrace");
  PROFILER_MARKER_TEXT("with a stack", OTHER, geckoprof::MarkerStack::UseBacktrace(copy), kLong);
}

struct Collector : ProfilerStackCollector {
  void CollectNativeLeafAddr(void*) override { ++natives; }
  void CollectProfilingStackFrame(const ProfilerLabelFrame& frame) override { labels.emplace_back(frame.label); }
  int natives = 0;
  std::vector<std::string> labels;
};

void OtherThreads() {
  std::atomic<bool> stop{false};
  std::atomic<int32_t> tid{0};
  std::thread other([&] {
    AUTO_PROFILER_REGISTER_THREAD(kLong.c_str());
    AUTO_PROFILER_LABEL("on another thread", OTHER);
    AUTO_PROFILER_THREAD_SLEEP;
    tid = profiler_current_thread_id().ToNumber();
    while (!stop) usleep(1000);
  });
  while (tid == 0) sched_yield();
  const ProfilerThreadId id = ProfilerThreadId::FromNumber(tid);

  Collector collector;
  ProfilerStatus status = ProfilerStatus::kTimeout;  // the machine may be too busy at first
  for (int i = 0; i < 50 && status == ProfilerStatus::kTimeout; ++i) {
    status = profiler_suspend_and_sample_thread(id, 0, collector).status;
  }
  REQUIRE(status == ProfilerStatus::kDone && collector.natives > 0);
  REQUIRE(collector.labels == std::vector<std::string>{"on another thread"});
  REQUIRE(profiler_suspend_and_sample_thread({}, 0, collector).Text() == "the thread's id must be specified");

  std::vector<std::string> names;
  ProfilerThreadRegistry::ForEach([&](const LockedThreadData& thread) { names.emplace_back(thread.Name()); });
  REQUIRE(names.size() == 2 && (names[0] == kLong || names[1] == kLong));
  REQUIRE(ProfilerThreadRegistry::WithThread(
      id, [](const LockedThreadData& thread) { REQUIRE(thread.IsSleeping() && thread.Name() == kLong); }));
  REQUIRE(profiler_thread_is_being_profiled_for_markers(id) && profiler_is_active_and_thread_is_registered());
  stop = true;
  other.join();
}

void AfterSampling() {
  std::atomic<int> called{0};
  REQUIRE(
      profiler_callback_after_sampling([&called, kept = kLong](SamplingState) { called += kept == kLong ? 1 : 2; }));
  while (called == 0) usleep(1000);
  REQUIRE(called == 1);
}

void Output(const char* file) {
  PROFILER_MARKER_TEXT("full", OTHER, {}, kLong);
  geckoprof::ProfilerResult<std::string> profile = profiler_get_profile();
  REQUIRE(profile.ok() && profile.value().find(kLong) != std::string::npos && profile.value().back() == '}');
  std::string streamed;
  REQUIRE(profiler_stream_json_for_this_process([&](std::string_view piece) {
    streamed.append(piece.data(), piece.size());
    return true;
  }));
  REQUIRE(streamed.find(kLong) != std::string::npos);
  REQUIRE(profiler_stream_json_for_this_process([](std::string_view) { return false; }).status ==
          ProfilerStatus::kCannotWrite);
  REQUIRE(profiler_save_profile("/no such folder/profile.json").Text().find("/no such folder/") == 0);
  REQUIRE(profiler_save_profile(file).Text() == "done");
  const auto info = profiler_get_buffer_info();
  REQUIRE(info.has_value() && info->used_bytes > 0 && info->range_end > info->range_start);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  {
    AUTO_PROFILER_INIT;
    Listen();
    StartAndAsk();
    Backtraces();
    OtherThreads();
    AfterSampling();
    Output(argv[1]);
    REQUIRE(profiler_stop() && !profiler_is_active() && profiler_get_profile().error().Text() == "nothing is recorded");
    REQUIRE(profiler_remove_state_change_callback(7) && profiler_remove_state_change_callback(8));
    REQUIRE(!profiler_remove_state_change_callback(7));
  }
  // Started twice, pausing, four profiles, stopping.
  REQUIRE(g_told.size() >= 6 && g_told.front() == kLong + "4" && g_told.back() == kLong + "64");
  REQUIRE(profiler_shutdown().status == ProfilerStatus::kUnchanged);
  return 0;
}
