#include "baseprofiler/base_profiler_abi.h"

#include <string.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_markers.h"
#include "geckoprof/labels/builtin_categories.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// For a forked child: loaded, with a session directory that the environment would have given.
ProfilerCore& LoadIn(const RecordingFolder& folder) {
  const std::string variable = "GECKOPROF_SESSION_DIR=" + folder.path();
  const char* const environment[] = {variable.c_str(), nullptr};
  ProfilerCore::Get().OnConstructor({0, MonotonicNs()}, environment);
  return ProfilerCore::Get();
}

TEST_CASE("a start needs little of the caller's stack") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
          pthread_t thread;
          const auto start = [](void*) -> void* {
            return reinterpret_cast<void*>(static_cast<intptr_t>(geckoprof_base_start(0, 0, 0, nullptr, 0, 0) + 1));
          };
          FORKED_REQUIRE(pthread_create(&thread, &attributes, start, nullptr) == 0);
          void* result = nullptr;
          pthread_join(thread, &result);
          FORKED_REQUIRE(reinterpret_cast<intptr_t>(result) == 1 && geckoprof_base_stop() == 1);
          return 0;
        }) == 0);
}

TEST_CASE("values of a start are brought into their bounds, zeros mean the defaults") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          const StartParameters& used = LoadIn(folder).parameters();
          FORKED_REQUIRE(geckoprof_base_start(1, 1, 0, nullptr, 0, -5) == 0);
          FORKED_REQUIRE(used.capacity_bytes == kMinCapacityBytes && used.interval_ns == kMinIntervalNs);
          FORKED_REQUIRE(used.features == kDefaultFeatures && used.duration_ns == 0);
          FORKED_REQUIRE(geckoprof_base_start(0, 0, 0, nullptr, 0, 0) == 1);  // nothing changes
          FORKED_REQUIRE(used.interval_ns == kMinIntervalNs);
          FORKED_REQUIRE(geckoprof_base_stop() == 1 && geckoprof_base_stop() == 0);
          const char* const filters[] = {"GeckoMain", "Worker"};
          FORKED_REQUIRE(geckoprof_base_start(0, INT64_MAX, ~0u, filters, 2, 60 * kNsPerSecond) == 0);
          FORKED_REQUIRE(used.capacity_bytes == kDefaultCapacityBytes && used.interval_ns == kMaxIntervalNs);
          FORKED_REQUIRE((used.features & ~kBaseFeatures) == 0 && used.duration_ns == 60 * kNsPerSecond);
          FORKED_REQUIRE(used.filter.size() == 2);
          geckoprof_base_stop();
          FORKED_REQUIRE(geckoprof_base_start(UINT64_MAX, -1, 0, nullptr, 0, 0) == 0);
          FORKED_REQUIRE(used.capacity_bytes == kMaxCapacityBytes && used.interval_ns == kDefaultIntervalNs);
          FORKED_REQUIRE(used.filter.size() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("a start that the filters forbid is told") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          LoadIn(folder);
          const char* const filters[] = {"pid:1"};
          FORKED_REQUIRE(geckoprof_base_start(0, 0, 0, filters, 1, 0) == 2);
          FORKED_REQUIRE(geckoprof_base_state() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("states have the numbers that the header tells") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          LoadIn(folder);
          FORKED_REQUIRE(geckoprof_base_state() == 0 && geckoprof_base_pause() == 0);
          FORKED_REQUIRE(geckoprof_base_start(0, 0, 0, nullptr, 0, 0) == 0);
          FORKED_REQUIRE(geckoprof_base_state() == 1 && geckoprof_base_resume() == 0);
          FORKED_REQUIRE(geckoprof_base_pause() == 1 && geckoprof_base_state() == 2 && geckoprof_base_pause() == 0);
          FORKED_REQUIRE(geckoprof_base_resume() == 1 && geckoprof_base_state() == 1);
          FORKED_REQUIRE(geckoprof_base_stop() == 1 && geckoprof_base_state() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("a pause of sampling alone is made, seen and ended by base's own API, beside one of everything") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          LoadIn(folder);
          FORKED_REQUIRE(geckoprof_base_pause_sampling() == 0 && geckoprof_base_resume_sampling() == 0);
          FORKED_REQUIRE(geckoprof_base_start(0, 0, 0, nullptr, 0, 0) == 0);
          FORKED_REQUIRE(geckoprof_base_pause_sampling() == 1 && geckoprof_base_pause_sampling() == 0);
          FORKED_REQUIRE(geckoprof_base_state() == 3 && baseprofiler::profiler_is_sampling_paused());
          FORKED_REQUIRE(baseprofiler::profiler_is_active() && !baseprofiler::profiler_is_paused());
          FORKED_REQUIRE(baseprofiler::profiler_is_active_and_unpaused());  // markers go on
          FORKED_REQUIRE(geckoprof_base_wants_markers());
          FORKED_REQUIRE(geckoprof_base_resume() == 0 && geckoprof_base_pause() == 1 && geckoprof_base_state() == 2);
          FORKED_REQUIRE(!baseprofiler::profiler_is_active_and_unpaused());
          FORKED_REQUIRE(baseprofiler::profiler_is_sampling_paused() && baseprofiler::profiler_is_paused());
          FORKED_REQUIRE(!geckoprof_base_wants_markers() && geckoprof_base_pause_sampling() == 0);
          FORKED_REQUIRE(geckoprof_base_resume() == 1 && geckoprof_base_state() == 3);  // the other pause stays
          FORKED_REQUIRE(geckoprof_base_resume_sampling() == 1 && geckoprof_base_state() == 1);
          FORKED_REQUIRE(geckoprof_base_pause() == 1 && geckoprof_base_pause_sampling() == 1);
          FORKED_REQUIRE(geckoprof_base_state() == 2 && geckoprof_base_resume_sampling() == 1);
          FORKED_REQUIRE(geckoprof_base_state() == 2 && geckoprof_base_stop() == 1 && geckoprof_base_state() == 0);
          FORKED_REQUIRE(!baseprofiler::profiler_is_sampling_paused());
          return 0;
        }) == 0);
}

TEST_CASE("base's own API says who asks, since when the process runs, and what is recorded") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          LoadIn(folder);
          using namespace baseprofiler;
          AUTO_BASE_PROFILER_INIT;
          FORKED_REQUIRE(profiler_current_process_id().ToNumber() == getpid() && profiler_is_main_thread());
          FORKED_REQUIRE(profiler_main_thread_id().ToNumber() == getpid() && profiler_main_thread_id().IsSpecified());
          bool is_main = true;
          BaseProfilerThreadId other;
          std::thread([&] { is_main = profiler_is_main_thread(), other = profiler_current_thread_id(); }).join();
          FORKED_REQUIRE(!is_main && other.IsSpecified() && other != profiler_current_thread_id());
          FORKED_REQUIRE(MarkerThreadId(other).tid() == other.ToNumber() && !BaseProfilerThreadId().IsSpecified());
          const double first_ms = profiler_time();
          FORKED_REQUIRE(first_ms >= 0 && first_ms < 600'000 && profiler_time() >= first_ms);
          FORKED_REQUIRE(profiler_get_available_features() == kBaseFeatures);
          FORKED_REQUIRE(!profiler_feature_active(kFeatureCpu) && !profiler_active_without_feature(kFeatureCpu));
          FORKED_REQUIRE(profiler_start(0, 0, kFeatureCpu) == StartResult::kStarted);
          FORKED_REQUIRE(profiler_feature_active(kFeatureCpu) && !profiler_feature_active(kFeatureStackWalk));
          FORKED_REQUIRE(profiler_active_without_feature(kFeatureStackWalk));
          FORKED_REQUIRE(!profiler_active_without_feature(kFeatureCpu));
          FORKED_REQUIRE(profiler_shutdown() && !profiler_is_active() && !profiler_shutdown());
          return 0;
        }) == 0);
}

TEST_CASE("base's own API says what was asked for, and asks for the same again") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          LoadIn(folder);
          using namespace baseprofiler;
          double duration_s = 7, interval_ms = 7;
          FORKED_REQUIRE(!profiler_get_start_params(nullptr, &duration_s, &interval_ms, nullptr) && duration_s == 7);
          FORKED_REQUIRE(profiler_ensure_started(1 << 20, 2, 0, {"some", "*"}, 60) == StartResult::kStarted);
          uint64_t capacity_bytes = 0;
          std::vector<std::string> filters;
          FORKED_REQUIRE(profiler_get_start_params(&capacity_bytes, &duration_s, &interval_ms, nullptr, &filters));
          FORKED_REQUIRE(capacity_bytes == 1 << 20 && duration_s == 60 && interval_ms == 2);
          FORKED_REQUIRE((filters == std::vector<std::string>{"some", "*"}));
          FORKED_REQUIRE(profiler_thread_is_being_profiled());
          FORKED_REQUIRE(profiler_ensure_started(1 << 20, 2, 0, {"some", "*"}, 60) == StartResult::kAlreadyActive);
          FORKED_REQUIRE(profiler_ensure_started(1 << 20, 2, 0, {"*", "some"}, 60) == StartResult::kStarted);
          FORKED_REQUIRE(profiler_stop() && !profiler_thread_is_being_profiled());
          return 0;
        }) == 0);
}

TEST_CASE("the first registration's name stays until all are taken back") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          const ThreadSlot& slot = *RecordingState::Get().slots().Current();
          char name[ThreadSlot::kNameBytes] = {};
          geckoprof_base_unregister_thread();  // harmless
          FORKED_REQUIRE(!slot.CopyName(name));
          geckoprof_base_register_thread("outer");
          geckoprof_base_register_thread("inner");
          FORKED_REQUIRE(slot.CopyName(name) && strcmp(name, "outer") == 0 && slot.registrations.load() == 2);
          geckoprof_base_unregister_thread();
          geckoprof_base_register_thread("third");
          FORKED_REQUIRE(slot.CopyName(name) && strcmp(name, "outer") == 0);
          for (int i = 0; i < 5; ++i) geckoprof_base_unregister_thread();
          FORKED_REQUIRE(slot.registrations.load() == 0);
          geckoprof_base_register_thread("new");
          FORKED_REQUIRE(slot.CopyName(name) && strcmp(name, "new") == 0);
          return 0;
        }) == 0);
}

TEST_CASE("labels open and close on the calling thread; a category that there is not is Other") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          const ThreadSlot& slot = *RecordingState::Get().slots().Current();
          int scope = 0;
          void* const outer = geckoprof_base_label_enter("outer", nullptr, (1u << 8) | 3, &scope);
          void* const inner = geckoprof_base_label_enter("inner", "text", (kBuiltinCategoryCount << 8) | 3, &scope);
          FORKED_REQUIRE(outer != nullptr && slot.labels.depth() == 2);
          FORKED_REQUIRE(strcmp(slot.labels.frame(0).label, "outer") == 0);
          FORKED_REQUIRE(slot.labels.frame(0).category_pair == ((1u << 8) | 3));
          FORKED_REQUIRE(slot.labels.frame(0).stack_address.load() == reinterpret_cast<uintptr_t>(&scope));
          FORKED_REQUIRE(strcmp(slot.labels.frame(1).dynamic, "text") == 0);
          FORKED_REQUIRE(slot.labels.frame(1).category_pair == kOtherCategory << 8);
          geckoprof_base_label_leave(inner);
          FORKED_REQUIRE(slot.labels.depth() == 1);
          geckoprof_base_label_leave(nullptr);
          FORKED_REQUIRE(slot.labels.depth() == 1);
          geckoprof_base_label_leave(outer);
          FORKED_REQUIRE(slot.labels.depth() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("markers are recorded while active, of the four phases, with or without a text") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          LoadIn(folder);
          int64_t now_ns = geckoprof_base_now();
          const auto mark = [&](const char* name, uint32_t phase, const char* text) {
            const geckoprof_time time = static_cast<geckoprof_time>(now_ns);
            const geckoprof_marker_options options = geckoprof_options_(phase, time, time + 5);
            return geckoprof_base_mark_text(name, 1u << 8, &options, text, strlen(text));
          };
          FORKED_REQUIRE(mark("before the start", 0, "") == GECKOPROF_NOT_RECORDING);
          FORKED_REQUIRE(geckoprof_base_start(0, 0, 0, nullptr, 0, 0) == 0);
          now_ns = geckoprof_base_now();
          FORKED_REQUIRE(mark("instant", 0, "") == GECKOPROF_MARKED);
          FORKED_REQUIRE(mark("interval", 1, "some text") == GECKOPROF_MARKED);
          FORKED_REQUIRE(mark("no such flag", 1u << 31, "") == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(mark("begin", 2, "") == GECKOPROF_MARKED && mark("end", 3, "") == GECKOPROF_MARKED);
          PROFILER_MARKER_UNTYPED("without a text", OTHER);
          geckoprof_base_pause();
          FORKED_REQUIRE(mark("paused", 0, "") == GECKOPROF_NOT_RECORDING);
          const ProcessProfile profile = folder.Read(getpid());
          const ThreadRow* thread = nullptr;
          for (const ThreadRow& row : profile.threads) thread = row.tid == gettid() ? &row : thread;
          FORKED_REQUIRE(thread != nullptr && thread->markers.size() == 5);
          const auto text = [&](int32_t row) { return profile.strings[static_cast<size_t>(row)]; };
          const auto& markers = thread->markers;
          FORKED_REQUIRE(text(markers[0].name) == "instant" && markers[0].phase == MarkerPhase::kInstant);
          FORKED_REQUIRE(markers[0].start_ns == now_ns + 5 && text(markers[0].fields.at(0).text).empty());
          FORKED_REQUIRE(text(markers[1].name) == "interval" && markers[1].phase == MarkerPhase::kInterval);
          FORKED_REQUIRE(markers[1].start_ns == now_ns && markers[1].end_ns == now_ns + 5);
          FORKED_REQUIRE(text(markers[1].fields.at(0).text) == "some text");
          FORKED_REQUIRE(text(markers[2].name) == "begin" && markers[2].phase == MarkerPhase::kIntervalStart);
          FORKED_REQUIRE(text(markers[3].name) == "end" && markers[3].phase == MarkerPhase::kIntervalEnd);
          FORKED_REQUIRE(text(markers[4].name) == "without a text" && markers[4].fields.empty());
          return 0;
        }) == 0);
}

TEST_CASE("now is the monotonic clock") {
  const int64_t before_ns = MonotonicNs();
  const int64_t now_ns = geckoprof_base_now();
  CHECK(before_ns <= now_ns);
  CHECK(now_ns <= MonotonicNs());
}

}  // namespace
}  // namespace geckoprof
