// Uses the macros, classes and functions of both libraries' C++ APIs where nothing is instrumented. Prints the answers
// that are wrong. No argument of a macro may be evaluated.
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/firefox_names.h"
#include "baseprofiler/ipc_marker.h"
#include "baseprofiler/network_request.h"
#include "geckoprofiler/gecko_profiler.h"

namespace {

int faults = 0;
void Check(bool holds, int line, const char* condition) {
  if (holds) return;
  std::printf("%d: not so: %s\n", line, condition);
  ++faults;
}
#define CHECK(condition) Check(condition, __LINE__, #condition)

// Macros must not call these.
int evaluations = 0;
template <typename Value>
[[maybe_unused]] Value Evaluated(Value value) {
  ++evaluations;
  return value;
}
[[maybe_unused]] const char* const kText = "a text";

struct Load : geckoprof::BaseMarkerType<Load> {
  static constexpr const char* Name = "Load";
  using MS = geckoprof::MarkerSchema;
  static constexpr MS::PayloadField PayloadFields[] = {
      {"path", MS::InputType::CString, "Path", MS::Format::FilePath},
      {"bytes", MS::InputType::Uint64, "Size", MS::Format::Bytes, MS::PayloadFlags::Optional},
  };
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart};
};

// The older way.
struct Parsed {
  static constexpr std::string_view MarkerTypeName() { return "Parsed"; }
  static void StreamJSONMarkerData(geckoprof::baseprofiler::SpliceableJSONWriter& writer, const char* title,
                                   int tokens) {
    writer.StringProperty("title", title);
    writer.IntProperty("tokens", tokens);
  }
  static geckoprof::MarkerSchema MarkerTypeDisplay() {
    using MS = geckoprof::MarkerSchema;
    MS schema(MS::Location::MarkerTable);
    schema.AddKeyLabelFormat("title", "Title", MS::Format::String);
    return schema;
  }
};

// Both ways at once.
struct Task : geckoprof::BaseMarkerType<Task> {
  static constexpr const char* Name = "Task";
  using MS = geckoprof::MarkerSchema;
  static constexpr MS::PayloadField PayloadFields[] = {{"flow", MS::InputType::Flow, "Flow", MS::Format::Flow}};
  static void StreamJSONMarkerData(geckoprof::baseprofiler::SpliceableJSONWriter& writer, geckoprof::Flow flow) {
    StreamJSONMarkerDataImpl(writer, flow);
  }
};

PROFILER_DEFINE_COUNT(requests, "Server", "Requests answered");
PROFILER_DEFINE_COUNT_TOTAL(cache, "Memory", "Bytes in the cache", {"bytes", nullptr, geckoprof::CounterGraph::kRate});
PROFILER_DEFINE_STATIC_COUNT(hits, "Server", "Hits");
BASE_PROFILER_DEFINE_STATIC_COUNT_TOTAL(misses, "Server", "Misses");

void Count() {
  AUTO_PROFILER_COUNT(requests);
  AUTO_PROFILER_COUNT(requests, Evaluated(2));
  AUTO_PROFILER_COUNT_TOTAL(cache, Evaluated(2));
  AUTO_PROFILER_STATIC_COUNT(hits);
  AUTO_BASE_PROFILER_COUNT_TOTAL(misses, Evaluated(1));
  AUTO_PROFILER_COUNT_IN_SCOPE(cache, Evaluated(4096));
  ++profiler_count_requests;
  profiler_count_cache += 3;
  profiler_count_cache.Set(5);
  geckoprof::ProfilerCounter own("own", "Memory", "A counter that is an object");
  const geckoprof::AutoProfilerCount in_scope(own, 1);
}

void Label(const geckoprof::ProfilerLabelContext& context) {
  static_cast<void>(context);
  AUTO_PROFILER_LABEL("label", OTHER);
  AUTO_PROFILER_LABEL_CATEGORY_PAIR(GRAPHICS_ImageDecoding);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("label", OTHER, Evaluated(kText));
  AUTO_PROFILER_LABEL_DYNAMIC_STRING("label", OTHER, Evaluated(std::string(kText)));
  AUTO_PROFILER_LABEL_DYNAMIC_STRING16("label", OTHER, Evaluated(u"text"));
  AUTO_PROFILER_LABEL_HOT("label", OTHER);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT("label", OTHER, Evaluated(kText));
  AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(GRAPHICS);
  AUTO_PROFILER_LABEL_FAST("label", OTHER, context);
  AUTO_PROFILER_LABEL_DYNAMIC_FAST("label", Evaluated(kText), OTHER, context, 0);
  AUTO_PROFILER_LABEL_IN("label", Evaluated(geckoprof::MarkerCategory::OTHER));
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_IN("label", geckoprof::MarkerCategory::OTHER, Evaluated(kText));
  AUTO_PROFILER_LABEL_DYNAMIC_NSCSTRING("label", OTHER, Evaluated(kText));
  AUTO_PROFILER_LABEL_DYNAMIC_LOSSY_NSSTRING("label", OTHER, Evaluated(u"text"));
  AUTO_BASE_PROFILER_LABEL("label", OTHER);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING("label", OTHER, Evaluated(kText));
  AUTO_BASE_PROFILER_LABEL_FAST("label", OTHER, context);
  AUTO_PROFILER_STATS(name);
  const geckoprof::baseprofiler::AutoProfilerLabel label("label", nullptr, geckoprof::MarkerCategory::OTHER);
  if (faults == 0) AUTO_PROFILER_LABEL("without a block", OTHER);
}

void MarkByMacro() {
  using geckoprof::MarkerTiming;
  PROFILER_MARKER_UNTYPED("marker", OTHER);
  PROFILER_MARKER_UNTYPED("marker", OTHER, MarkerTiming::InstantAt(Evaluated(geckoprof::TimeStamp::Now())));
  PROFILER_MARKER("marker", STORAGE, {}, Load, Evaluated(kText), std::nullopt);
  PROFILER_MARKER("marker", STORAGE, geckoprof::MarkerOptions(MarkerTiming::InstantNow(), Evaluated(1)), Parsed, kText,
                  1);
  PROFILER_MARKER_TEXT("marker", OTHER, {}, Evaluated(kText));
  AUTO_PROFILER_MARKER_UNTYPED("marker", OTHER);
  AUTO_PROFILER_MARKER_UNTYPED("marker", OTHER, Evaluated(geckoprof::MarkerStack::Capture()));
  AUTO_PROFILER_MARKER("marker", OTHER);
  AUTO_PROFILER_MARKER("marker", OTHER, {}, Load, Evaluated(kText), 1u);
  AUTO_PROFILER_FLOW_MARKER("marker", OTHER, Evaluated(geckoprof::Flow::Global(1)));
  AUTO_PROFILER_TERMINATING_FLOW_MARKER("marker", OTHER, Evaluated(geckoprof::Flow::Global(1)));
  AUTO_PROFILER_TRACING_MARKER(Evaluated("type"), "marker", OTHER);
  AUTO_PROFILER_MARKER_TEXT("marker", OTHER, {}, Evaluated(kText));
  BASE_PROFILER_MARKER_UNTYPED("marker", OTHER);
  BASE_PROFILER_MARKER_TEXT("marker", OTHER, {}, Evaluated(kText));
  BASE_PROFILER_MARKER("marker", OTHER, {}, Load, Evaluated(kText), 1u);
  AUTO_BASE_PROFILER_MARKER_UNTYPED("marker", OTHER);
  AUTO_BASE_PROFILER_MARKER_TEXT("marker", OTHER, {}, Evaluated(kText));
  AUTO_BASE_PROFILER_MARKER("marker", OTHER, {}, Load, Evaluated(kText), 1u);
  if (faults == 0) PROFILER_MARKER_UNTYPED("without a block", OTHER);
}

void MarkByFunction() {
  using namespace geckoprof;
  const std::string text = "text";
  const TimeStamp start = TimeStamp::Now();
  const MarkerOptions options(MarkerTiming::IntervalUntilNowFrom(start), MarkerThreadId::MainThread(),
                              MarkerStack::Capture(), MarkerFlow(Flow::FromPointer(&text)), MarkerCategory::STORAGE);
  CHECK(!profiler_is_collecting_markers() && !profiler_can_accept_markers());
  CHECK(!profiler_add_marker("x", MarkerCategory::OTHER));
  CHECK(!profiler_add_marker(text, MarkerCategory::OTHER, MarkerTiming::InstantNow(), Load{}, text, 1u));
  CHECK(!profiler_add_marker("x", MarkerCategory::OTHER, options, Parsed{}, "title", 1));
  CHECK(!profiler_add_marker("x", MarkerCategory::OTHER, {}, Task{}, Flow::ProcessScoped(1)));
  CHECK(!profiler_add_marker("x", MarkerCategory::OTHER, {}, markers::Text{}, std::string_view("text")));
  CHECK(!profiler_add_marker("x", geckoprofiler::category::OTHER, {}, geckoprofiler::markers::NoPayload{}));
  CHECK(!profiler_add_native_allocation_marker(1, 1));
  CHECK(!baseprofiler::AddMarker("x", MarkerCategory::OTHER));
  baseprofiler::AddMarker("x", MarkerCategory::OTHER, {}, "text");
  CHECK(!baseprofiler::AddMarker("x", MarkerCategory::OTHER, {}, Load{}, "path", 1u));
  CHECK(!profiler_add_ipc_marker({1, "type", 1}, IpcDirection::kSending));
  NetworkRequest request("https://example.org/");
  request.Start();
  request.Finish();
  CategoryResult result = CategoryResult::kAdded;
  CHECK(profiler_add_category("own", "red", &result) == MarkerCategory::OTHER && result == CategoryResult::kNotHere);
  CHECK(profiler_add_subcategory(MarkerCategory::IPC, "own") == MarkerCategory::IPC);
  CHECK(start.IsNull() && (TimeStamp::Now() - start).IsZero() &&
        TimeStamp(7) - TimeStamp(5) == TimeDuration(std::chrono::nanoseconds(2)));
  CHECK(options.Category() == MarkerCategory::STORAGE && options.HasTiming());
}

void ControlBase() {
  namespace base = geckoprof::baseprofiler;
  AUTO_BASE_PROFILER_INIT;
  AUTO_BASE_PROFILER_REGISTER_THREAD(Evaluated("thread"));
  BASE_PROFILER_REGISTER_THREAD(Evaluated("thread"));
  BASE_PROFILER_UNREGISTER_THREAD();
  const base::AutoProfilerRegisterThread registered("thread");
  base::profiler_init();
  CHECK(base::profiler_start() == base::StartResult::kNotHere);
  CHECK(base::profiler_ensure_started(1 << 20, 1, 0, {"a"}) == base::StartResult::kNotHere);
  CHECK(!base::profiler_stop() && !base::profiler_pause() && !base::profiler_resume() && !base::profiler_is_active());
  CHECK(!base::profiler_get_start_params(nullptr, nullptr, nullptr, nullptr) && !base::profiler_shutdown());
  CHECK(!base::profiler_thread_is_being_profiled() && base::profiler_get_available_features() == 0);
  CHECK(!base::profiler_current_thread_id().IsSpecified() && !base::profiler_is_main_thread());
}

void ControlFull() {
  AUTO_PROFILER_INIT;
  AUTO_PROFILER_REGISTER_THREAD(Evaluated("thread"));
  PROFILER_REGISTER_THREAD(Evaluated("thread"));
  PROFILER_UNREGISTER_THREAD();
  AUTO_PROFILER_THREAD_SLEEP;
  AUTO_PROFILER_THREAD_WAKE;
  const geckoprof::AutoProfilerInit init;
  const geckoprof::ThreadRegistration registration("thread");
  const geckoprof::ProfilerThreadSleepScope sleeping;
  std::vector<std::string> filters = {"a"};
  uint32_t capacity = 1, features = 1;
  std::optional<double> duration;
  double interval = 1;
  CHECK(profiler_init().status == geckoprof::ProfilerStatus::kNoBase);
  CHECK(!profiler_start() && !profiler_ensure_started() && !profiler_stop() && !profiler_pause() && !profiler_resume());
  CHECK(profiler_stop().Text().find("there is no") == 0 && !profiler_set_process_name("name"));
  profiler_get_start_params(&capacity, &duration, &interval, &features, &filters);
  CHECK(capacity == 0 && features == 0 && filters.empty() && !profiler_features_if_active().has_value());
  CHECK(!profiler_is_active() && !profiler_is_paused() && !profiler_get_buffer_info().has_value());
  CHECK(!profiler_get_profile().ok() && !profiler_save_profile("/tmp/none.json"));
  CHECK(profiler_save_profile_to_file("/tmp/none.json") != 0);
  CHECK(!profiler_add_state_change_callback(ProfilingStateSet::AllStates(), [&](ProfilingState) { ++evaluations; }));
  CHECK(!profiler_callback_after_sampling([&](SamplingState) { ++evaluations; }));
  CHECK(profiler_capture_backtrace() == nullptr && !profiler_thread_is_being_profiled_for_markers());
  CHECK(profiler_unregister_thread() == geckoprof::ProfilerStatus::kUnchanged && !profiler_thread_is_sleeping());
  geckoprof::ProfilerThreadRegistry::ForEach([&](const geckoprof::LockedThreadData&) { ++evaluations; });
  CHECK(profiler_shutdown().status == geckoprof::ProfilerStatus::kNoBase);
}

}  // namespace

int main() {
  Count();
  Label(geckoprof::ProfilerLabelContext());
  MarkByMacro();
  MarkByFunction();
  ControlBase();
  ControlFull();
  CHECK(evaluations == 0);
  return faults == 0 ? 0 : 1;
}
