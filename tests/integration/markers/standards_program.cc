// Every form of the macros of markers, labels and counters. standards_profile.py compiles this program as C++17 and as
// C++20, and both must record the same.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/firefox_names.h"
#include "baseprofiler/ipc_marker.h"
#include "baseprofiler/network_request.h"

namespace {

using geckoprof::Flow;
using geckoprof::MarkerCategory;
using geckoprof::MarkerOptions;
using geckoprof::MarkerSchema;
using geckoprof::MarkerStack;
using geckoprof::MarkerThreadId;
using geckoprof::MarkerTiming;
using geckoprof::TimeDuration;
using geckoprof::TimeStamp;
using MS = MarkerSchema;

struct AllFields : geckoprof::BaseMarkerType<AllFields> {
  static constexpr const char* Name = "AllFields";
  static constexpr MS::TableColumn Columns[] = {{"Stage"}, {"Took", MS::Format::Duration}, {"n", MS::Format::Integer}};
  static constexpr MS::PayloadField PayloadFields[] = {
      {"u64", MS::InputType::Uint64, "U64", MS::Format::Integer},
      {"i8", MS::InputType::Int8, "I8", MS::Format::Integer},
      {"real", MS::InputType::Double, "Real", MS::Format::Decimal},
      {"flag", MS::InputType::Boolean},
      {"chars", MS::InputType::CString, "Chars", MS::Format::UniqueString},
      {"wide", MS::InputType::String},
      {"took", MS::InputType::TimeDuration, "Took", MS::Format::Duration},
      {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId},
      {"list", MS::InputType::StringList, "List", MS::Format::List},
      {"table", MS::InputType::Table, "Table", MS::Format::Table, MS::PayloadFlags::None, Columns},
      {"maybe", MS::InputType::Int64, "Maybe", MS::Format::Integer, MS::PayloadFlags::Optional},
      {"none", MS::InputType::CString, "None", MS::Format::String, MS::PayloadFlags::Optional}};
  static constexpr const char* AllLabels = "{marker.data.chars} {marker.data.flag ? 'yes' : 'no'}";
  static constexpr MS::Graph Graphs[] = {{"real", MS::GraphType::Line}};
  static constexpr MS::Note Notes[] = {{"Note", "A text for all"}};
  static constexpr bool IsStackBased = true;
};

struct Older {
  static constexpr std::string_view MarkerTypeName() { return "Older"; }
  template <typename Writer>
  static void StreamJSONMarkerData(Writer& writer, std::string_view text, int number) {
    writer.StringProperty("text", text);
    writer.IntProperty("number", number);
  }
  static MarkerSchema MarkerTypeDisplay() {
    MarkerSchema schema(MS::Location::MarkerTable);
    return schema.AddKeyFormat("text", MS::Format::String).AddKeyFormat("number", MS::Format::Integer);
  }
};

PROFILER_DEFINE_COUNT(plain, "Things", "A counter");
PROFILER_DEFINE_STATIC_COUNT_TOTAL(total, "Memory", "A counter with a number of operations", {"bytes"});

void Instants(const std::string& name) {
  PROFILER_MARKER_UNTYPED("untyped", OTHER);
  PROFILER_MARKER_UNTYPED("empty options", OTHER, {});
  PROFILER_MARKER_UNTYPED("two in braces", OTHER, {MarkerThreadId::MainThread(), MarkerTiming::IntervalStart()});
  PROFILER_MARKER_UNTYPED("two options", OTHER, MarkerThreadId::MainThread(), MarkerTiming::IntervalEnd());
  PROFILER_MARKER_UNTYPED(name, OTHER, MarkerCategory::TIMER);
  PROFILER_MARKER("no fields", OTHER, {}, geckoprof::markers::StackMarker);
  PROFILER_MARKER_TEXT("text", STORAGE, MarkerTiming::IntervalUntilNowFrom(TimeStamp::Now()), name);
  const std::vector<std::tuple<std::string, std::chrono::milliseconds, std::optional<int>>> rows = {
      {"a", std::chrono::milliseconds(3), 4}, {"b", std::chrono::milliseconds(-1), std::nullopt}};
  const std::array<const char*, 2> list = {"x", "y"};
  PROFILER_MARKER("all fields", GRAPHICS, {}, AllFields, UINT64_MAX, -5, 0.25f, true, name, u"w\u00e9",
                  std::chrono::microseconds(1500), Flow::Global(0xabc), list, rows, std::optional<int>(7),
                  std::nullopt);
  PROFILER_MARKER("older", OTHER, {}, Older, name, 5);
  BASE_PROFILER_MARKER_UNTYPED("base untyped", OTHER);
  BASE_PROFILER_MARKER_UNTYPED("base with options", OTHER, MarkerTiming::InstantNow());
  BASE_PROFILER_MARKER("base typed", OTHER, {}, geckoprof::markers::CPUSpeed, 3.5);
  BASE_PROFILER_MARKER_TEXT("base text", OTHER, {}, "text");
  profiler_add_marker(name + " of a function", MarkerCategory::NETWORK);
  profiler_add_marker("typed function", MarkerCategory::LOGS, {}, geckoprof::markers::Log{}, "module", "message");
  geckoprof::baseprofiler::AddMarker("AddMarker", MarkerCategory::OTHER, {}, "text");
  geckoprof::profiler_add_ipc_marker({42, "Job", 7}, geckoprof::IpcDirection::kSending);
}

void Scopes(const std::string& name) {
  AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER);
  AUTO_PROFILER_MARKER_UNTYPED("scope with options", OTHER, {});
  AUTO_PROFILER_MARKER("scope of StackMarker", OTHER);
  AUTO_PROFILER_MARKER("scope without fields", OTHER, (MarkerOptions()), geckoprof::markers::StackMarker);
  AUTO_PROFILER_MARKER("scope with fields", OTHER, MarkerTiming::InstantNow(), geckoprof::markers::NetIO, 3, 4);
  AUTO_PROFILER_MARKER(name + " scope", OTHER, {}, Older, name, 6);
  AUTO_PROFILER_MARKER("scope with copies", OTHER, {}, AllFields, 1, 2, 3, false, name, std::u16string(u"wide"),
                       TimeDuration::FromMilliseconds(2.5), Flow::Global(5), std::vector<std::string>({name}),
                       std::vector<std::tuple<const char*, double, int>>(), std::nullopt,
                       std::optional<std::string>(name));
  AUTO_PROFILER_MARKER_TEXT("scope with text", OTHER, MarkerCategory::TIMER, name);
  AUTO_PROFILER_FLOW_MARKER("scope of a flow", OTHER, Flow::Global(1));
  AUTO_PROFILER_TERMINATING_FLOW_MARKER("scope that ends a flow", OTHER, Flow::Global(1));
  AUTO_PROFILER_TRACING_MARKER("kind", "tracing scope", OTHER);
  AUTO_BASE_PROFILER_MARKER_UNTYPED("base scope", OTHER);
  AUTO_BASE_PROFILER_MARKER("base scope of StackMarker", OTHER);
  AUTO_BASE_PROFILER_MARKER("base scope with fields", OTHER, {}, geckoprof::markers::NetIO, 5, 6);
  AUTO_BASE_PROFILER_MARKER_TEXT("base scope with text", OTHER, {}, "text");
}

// A marker with the labels of this thread shows which are open.
void Labels(const std::string& text) {
  AUTO_PROFILER_LABEL("label", OTHER);
  AUTO_PROFILER_LABEL_CATEGORY_PAIR(GRAPHICS_ImageDecoding);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("cstr", OTHER, text.c_str());
  AUTO_PROFILER_LABEL_DYNAMIC_STRING("string", OTHER, text);
  AUTO_PROFILER_LABEL_DYNAMIC_STRING16("wide", OTHER, std::u16string(u"w\u00e9"));
  AUTO_PROFILER_LABEL_HOT("hot", OTHER);
  PROFILER_MARKER_UNTYPED("labels", OTHER, MarkerStack::Capture(StackCaptureOptions::NonNative));
}

int64_t Count() {
  AUTO_PROFILER_COUNT(plain);
  AUTO_PROFILER_COUNT(plain, 4);
  AUTO_PROFILER_COUNT_TOTAL(total, size_t{5});
  AUTO_BASE_PROFILER_COUNT(plain);
  AUTO_PROFILER_COUNT_IN_SCOPE(plain, 2);
  ++profiler_count_plain;
  profiler_count_total += 10u;
  return 0;
}

bool TimesAreRight() {
  using std::chrono::milliseconds;
  const TimeDuration duration = milliseconds(1500);
  const std::chrono::nanoseconds exact = duration;
  const std::chrono::duration<double> seconds = duration;
  const TimeStamp start = 1'000;
  bool right = exact.count() == 1'500'000'000 && seconds.count() == 1.5 && milliseconds(duration) == milliseconds(1500);
  right = right && duration + milliseconds(500) == std::chrono::seconds(2) && duration > milliseconds(1) &&
          milliseconds(1) < duration && duration * 2 == TimeDuration::FromSeconds(3) &&
          duration / milliseconds(500) == 3;
  right = right && start + std::chrono::microseconds(1) == TimeStamp(2'000) && start != TimeStamp() &&
          TimeStamp(2'000) - start == TimeDuration::FromMicroseconds(1) && TimeStamp() < start;
  return right;
}

}  // namespace

int main() {
  const std::string name = "dynamic";
  AUTO_BASE_PROFILER_REGISTER_THREAD("registered");
  Instants(name);
  Scopes(name);
  Labels(name);
  Count();
  geckoprof::NetworkRequest request("https://example.org/");
  request.Start();
  request.Finish();
  usleep(50'000);  // The sampler reads the counters.
  return TimesAreRight() && mozilla::Some(3).isSome() && mozilla::MakeStringSpan("four").size() == 4 ? 0 : 1;
}
