// edge_program: what is given to markers at its edges, and what scopes keep of it. What comes of it is said in
// edge_profile.py, which reads the profiles.
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/firefox_names.h"
#include "baseprofiler/ipc_marker.h"
#include "baseprofiler/network_request.h"

namespace {

using namespace geckoprof;  // NOLINT: as a user of the macros would
using MS = MarkerSchema;

#define TYPE(Type, ...)                                                                 \
  struct Type : BaseMarkerType<Type> {                                                  \
    static constexpr const char* Name = #Type;                                          \
    [[maybe_unused]] static constexpr MS::TableColumn Columns[] = {{"Key"}, {"Value"}}; \
    static constexpr MS::PayloadField PayloadFields[] = {__VA_ARGS__};                  \
  }
TYPE(Took, {"d", MS::InputType::TimeDuration, "D", MS::Format::Duration});
TYPE(When, {"t", MS::InputType::TimeStamp, "T", MS::Format::Time});
TYPE(Narrow, {"u8", MS::InputType::Uint8, "U8", MS::Format::Integer},
     {"u32", MS::InputType::Uint32, "U32", MS::Format::Integer}, {"i8", MS::InputType::Int8, "I8", MS::Format::Integer},
     {"u64", MS::InputType::Uint64, "U64", MS::Format::Integer});
TYPE(Signed, {"i32", MS::InputType::Int32, "I32", MS::Format::Integer},
     {"i64", MS::InputType::Int64, "I64", MS::Format::Integer});
TYPE(Listed, {"list", MS::InputType::StringList, "List", MS::Format::List},
     {"table", MS::InputType::Table, "Table", MS::Format::Table, MS::PayloadFlags::None, Columns},
     {"maybe", MS::InputType::CString, "Maybe", MS::Format::String, MS::PayloadFlags::Optional});
TYPE(Kept, {"text", MS::InputType::String, "Text"}, {"wide", MS::InputType::String, "Wide"},
     {"n", MS::InputType::Int32, "N", MS::Format::Integer},
     {"maybe", MS::InputType::CString, "Maybe", MS::Format::String, MS::PayloadFlags::Optional},
     {"list", MS::InputType::StringList, "List", MS::Format::List},
     {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId});

// Two types of one name, as two libraries may have them.
namespace number {
TYPE(Twice, {"x", MS::InputType::Uint32, "X", MS::Format::Integer},
     {"y", MS::InputType::Uint32, "Y", MS::Format::Integer});
}
namespace list {
TYPE(Twice, {"x", MS::InputType::StringList, "X", MS::Format::List},
     {"y", MS::InputType::Table, "Y", MS::Format::Table, MS::PayloadFlags::None, Columns});
}

struct Written {
  static constexpr mozilla::Span<const char> MarkerTypeName() { return mozilla::MakeStringSpan("Written"); }
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& writer,
                                   const mozilla::ProfilerString8View& text, int number) {
    writer.StringProperty("text", text);
    writer.IntProperty("n", number);
  }
  static MarkerSchema MarkerTypeDisplay() {
    MS schema(MS::Location::MarkerTable);
    return schema.AddKeyFormat("text", MS::Format::String).AddKeyFormat("n", MS::Format::Integer);
  }
};

// Of the older style, with a text that cannot be a null pointer.
struct Viewed {
  static constexpr std::string_view MarkerTypeName() { return "Viewed"; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer, std::string_view text) {
    writer.StringProperty("text", text);
  }
  static MarkerSchema MarkerTypeDisplay() { return MS(MS::Location::MarkerTable); }
};

struct Nameless {
  static constexpr std::string_view MarkerTypeName() { return ""; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter&) {}
  static MarkerSchema MarkerTypeDisplay() { return MS(MS::Location::MarkerTable); }
};

// Fields, and a writer of its own.
struct Both : BaseMarkerType<Both> {
  static constexpr const char* Name = "Both";
  static constexpr MS::TableColumn Columns[] = {{"Key"}, {"Value"}};
  static constexpr MS::PayloadField PayloadFields[] = {
      {"n", MS::InputType::Uint32, "N", MS::Format::Integer},
      {"at", MS::InputType::TimeStamp, "At", MS::Format::Time},
      {"took", MS::InputType::TimeDuration, "Took", MS::Format::Duration},
      {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId},
      {"list", MS::InputType::StringList, "List", MS::Format::List},
      {"table", MS::InputType::Table, "Table", MS::Format::Table, MS::PayloadFlags::None, Columns},
      {"none", MS::InputType::String, "None", MS::Format::String, MS::PayloadFlags::Optional},
      {"large", MS::InputType::Uint64, "Large", MS::Format::Integer},
      {"wide", MS::InputType::String, "Wide", MS::Format::String},
      {"longest", MS::InputType::TimeDuration, "Longest", MS::Format::Duration},
      {"narrow", MS::InputType::Int8, "Narrow", MS::Format::Integer},
      {"signed", MS::InputType::Int64, "Signed", MS::Format::Integer},
      {"unsigned", MS::InputType::Uint8, "Unsigned", MS::Format::Integer}};
  static constexpr const char* TableLabel = "{marker.data.n}";
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer, uint32_t number, TimeStamp at) {
    const std::vector<std::pair<const char*, std::optional<int>>> rows = {{"a", 1}, {"b", std::nullopt}};
    StreamJSONMarkerDataImpl(writer, number * 2, at, std::chrono::microseconds(1500), Flow::Global(0xb),
                             std::vector<std::string>({"x"}), rows, std::optional<std::string>(), UINT64_MAX,
                             std::u16string(1000, u'\u20ac'), std::chrono::hours::max(), 300, UINT64_MAX, -1);
    writer.BoolProperty("extra", true);
  }
};

// What is written where it does not belong.
struct Misplaced {
  static constexpr std::string_view MarkerTypeName() { return "Misplaced"; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer) {
    writer.StringElement("an element");
    writer.EndArray();
    writer.EndObject();
    writer.StartArrayProperty("list");
    writer.IntProperty("a property", 1);
    writer.EndArray();
    writer.StringProperty("last", "is there");
  }
  static MarkerSchema MarkerTypeDisplay() { return MS(MS::Location::MarkerTable); }
};

// Of two markers both are lost.
struct Throwing {
  static constexpr std::string_view MarkerTypeName() { return "Throwing"; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer, int number) {
    writer.IntProperty("number", number);
    throw number;
  }
  static MarkerSchema MarkerTypeDisplay() { return MS(MS::Location::MarkerTable); }
};

void Throw() {
  try {
    PROFILER_MARKER("thrown", OTHER, {}, Throwing, 1);
  } catch (int) {
  }
  try {
    AUTO_PROFILER_MARKER("thrown scope", OTHER, {}, Throwing, 2);
  } catch (int) {
  }
}

// A key that the marker's flow option has, too.
struct OwnFlow {
  static constexpr std::string_view MarkerTypeName() { return "OwnFlow"; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer) {
    writer.IntProperty("markerFlow", 1);
    writer.IntProperty("flow", 1);
  }
  static MarkerSchema MarkerTypeDisplay() { return MS(MS::Location::MarkerTable); }
};

void Writers() {
  PROFILER_MARKER("own flow", OTHER, MarkerFlow(Flow::Global(2)), OwnFlow);
  PROFILER_MARKER("both", OTHER, {}, Both, 21u, TimeStamp::Now());
  { AUTO_PROFILER_MARKER("both in a scope", OTHER, {}, Both, 4u, TimeStamp()); }
  PROFILER_MARKER("misplaced", OTHER, {}, Misplaced);
  Throw();
  { AUTO_PROFILER_TRACING_MARKER("kind", "traced", OTHER); }
  baseprofiler::AddMarker("by base", MarkerCategory::OTHER, {}, baseprofiler::markers::Tracing{}, "kind");
  baseprofiler::AddMarker("without", MarkerCategory::OTHER);
  if (!profiler_is_collecting_markers() || !profiler_can_accept_markers()) abort();
}

void Requests() {
  NetworkRequest cancelled("https://example.org/cancelled");
  cancelled.Finish({.status = NetworkOutcome::Status::kCancelled});
  NetworkRequest twice("https://example.org/twice");
  twice.Start();
  twice.Start();
  twice.Finish();
  twice.Finish({.status = NetworkOutcome::Status::kCancelled});
  std::string wide_url = "https://example.org/";
  for (int i = 0; i < 200; ++i) wide_url += "\u20ac";
  for (const char* const prefix : {"", "a", "b/"}) {  // one of them is cut where a character begins
    const std::string url = prefix + wide_url;
    NetworkRequest(url).Finish();
  }
}

void NullTexts() {
  const char* const null = getenv("GECKOPROF_NOT_SET");
  PROFILER_MARKER_TEXT("null text", OTHER, {}, null);
  PROFILER_MARKER_TEXT("nullptr text", OTHER, {}, nullptr);
  PROFILER_MARKER_UNTYPED(null, OTHER);
  profiler_add_marker(null, MarkerCategory::OTHER);
  baseprofiler::AddMarker(null, MarkerCategory::OTHER, {}, null);
  const std::vector<const char*> list = {null, "one"};
  const std::vector<std::pair<const char*, const char*>> rows = {{null, "value"}};
  PROFILER_MARKER("null list", OTHER, {}, Listed, list, rows, std::optional<const char*>(null));
  PROFILER_MARKER("null written", OTHER, {}, Written, null, 1);
  PROFILER_MARKER("null viewed", OTHER, {}, Viewed, null);
  profiler_add_ipc_marker({.other_pid = 1, .type = null, .number = 1}, IpcDirection::kSending);
  AUTO_PROFILER_MARKER_TEXT("null scope", OTHER, {}, null);
  AUTO_PROFILER_MARKER_TEXT("nullptr scope", OTHER, {}, nullptr);
  AUTO_PROFILER_MARKER_TEXT(null, OTHER, {}, null);
}

void Durations() {
  using Real = std::chrono::duration<double>;
  PROFILER_MARKER("longest seconds", OTHER, {}, Took, std::chrono::seconds::max());
  PROFILER_MARKER("longest hours", OTHER, {}, Took, std::chrono::hours::max());
  PROFILER_MARKER("shortest hours", OTHER, {}, Took, std::chrono::hours::min());
  PROFILER_MARKER("longest ns", OTHER, {}, Took, std::chrono::nanoseconds::max());
  PROFILER_MARKER("shortest ns", OTHER, {}, Took, std::chrono::nanoseconds::min());
  PROFILER_MARKER("no duration", OTHER, {}, Took, Real(NAN));
  PROFILER_MARKER("endless", OTHER, {}, Took, Real(INFINITY));
  PROFILER_MARKER("long", OTHER, {}, Took, Real(1e300));
  PROFILER_MARKER("fraction", OTHER, {}, Took, std::chrono::duration<float, std::milli>(1.25f));
  PROFILER_MARKER("an hour back", OTHER, {}, Took, -std::chrono::hours(1));
}

// The texts before the first one of 9 bytes or more. The end is no iterator.
struct ShortTexts {
  struct End {};
  const std::vector<std::string>& all;
  auto begin() const { return all.begin(); }
  End end() const { return {}; }
};
bool operator==(std::vector<std::string>::const_iterator at, ShortTexts::End) { return at->size() >= 9; }

void Numbers() {
  PROFILER_MARKER("minus one", OTHER, {}, Narrow, -1, -1, -1, -1);
  PROFILER_MARKER("too large", OTHER, {}, Narrow, 300, uint64_t{1} << 40, 300, UINT64_MAX);
  const std::vector<std::pair<unsigned long long, unsigned long>> rows = {{~0ull, ~0ul}, {1, 2}};
  PROFILER_MARKER("unsigned cells", OTHER, {}, Listed, std::array<std::string, 0>(), rows,
                  std::optional<std::string>());
  volatile int seen = 7;
  PROFILER_MARKER("beyond signed", OTHER, {}, Signed, (uint64_t{1} << 63) + 5, UINT64_MAX);
  PROFILER_MARKER("volatile", OTHER, {}, Signed, seen, uint8_t{200});
  const std::vector<std::string> all = {"short", "an", "longer than that", "never"};
  PROFILER_MARKER("up to a sentinel", OTHER, {}, Listed, ShortTexts{all}, (std::vector<std::tuple<int, int>>()),
                  std::nullopt);
  const char* const texts[] = {"an", "array"};
  const std::tuple<int, bool> cells[] = {{1, true}};
  PROFILER_MARKER("arrays", OTHER, {}, Listed, texts, cells, "maybe");
  const std::string beyond = "a span, not more";
  const mozilla::Span<const char> span(beyond.data(), 6);
  const std::vector<mozilla::Span<const char>> spans = {span, mozilla::MakeStringSpan("b")};
  PROFILER_MARKER("spans", OTHER, {}, Kept, span, mozilla::Span<const char>(), 1, std::optional(span), spans,
                  Flow::Global(1));
  PROFILER_MARKER_TEXT("span", OTHER, {}, span);
}

MarkerTiming OfPhase(uint32_t phase) {
  MarkerTiming timing;
  timing.phase = phase;
  return timing;
}

void NullTimes() {
  const TimeStamp null;
  PROFILER_MARKER("null time", OTHER, {}, When, null);
  PROFILER_MARKER_UNTYPED("at null", OTHER, MarkerTiming::InstantAt(null));
  PROFILER_MARKER_UNTYPED("until null", OTHER, MarkerTiming::Interval(TimeStamp::Now(), null));
  PROFILER_MARKER_UNTYPED("from null", OTHER, MarkerTiming::IntervalUntilNowFrom(null));
  PROFILER_MARKER_UNTYPED("start null", OTHER, MarkerTiming::IntervalStart(null));
  PROFILER_MARKER_UNTYPED("end null", OTHER, MarkerTiming::IntervalEnd(null));
  MarkerTiming without_end = OfPhase(3);
  without_end.start = TimeStamp::Now();
  PROFILER_MARKER_UNTYPED("no time", OTHER, MarkerTiming());
  PROFILER_MARKER("no time of fields", OTHER, MarkerTiming(), Narrow, 1, 2, 3, 4);
  PROFILER_MARKER_TEXT("no time of a text", OTHER, MarkerTiming(), "text");
  PROFILER_MARKER_UNTYPED("no times", OTHER, OfPhase(1));
  PROFILER_MARKER_UNTYPED("no end", OTHER, without_end);
  { AUTO_PROFILER_MARKER_TEXT("scope without a time", OTHER, MarkerTiming(), "text"); }
  PROFILER_MARKER_UNTYPED("no such phase", OTHER, OfPhase(9));
  PROFILER_MARKER_TEXT("no such phase", OTHER, OfPhase(4), "text");
  PROFILER_MARKER("no such type", OTHER, {}, Nameless);
  PROFILER_MARKER_UNTYPED("thread -7", OTHER, MarkerThreadId(-7));
}

int g_evaluated = 0;
int Evaluated(int value) {
  ++g_evaluated;
  return value;
}

void Scopes() {
  {
    auto text = std::make_unique<std::string>("as it was, and long enough for the heap");
    std::u16string wide = u"w\u00e4rme";
    std::vector<std::string> list = {"a", "b"};
    std::optional<std::string> maybe = "there";
    auto name = std::make_unique<std::string>("scope keeps");
    int number = Evaluated(1);
    AUTO_PROFILER_MARKER(*name, OTHER, {}, Kept, *text, wide, number, maybe, list, Flow::Global(7));
    AUTO_PROFILER_MARKER("scope keeps written", OTHER, {}, Written, *text, number);
    *text = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX";
    *name = "XXXXXXXXXXX";
    text = nullptr;
    name = nullptr;
    wide = u"X";
    list = {"X"};
    maybe = {};
    number = 99;
  }
  {
    const auto& [first, second] = std::pair("bound", 7);
    AUTO_PROFILER_MARKER("bound", OTHER, {}, Written, first, second);
    AUTO_PROFILER_MARKER("beside", OTHER);
  }
  {
    const TimeStamp start = TimeStamp::Now();
    AUTO_PROFILER_MARKER("from an instant", OTHER, MarkerTiming::InstantAt(start), markers::StackMarker);
    AUTO_PROFILER_MARKER("from a start", OTHER, MarkerTiming::IntervalStart(start), markers::StackMarker);
    AUTO_PROFILER_MARKER("from here", OTHER, MarkerStack::Capture(), markers::StackMarker);
    usleep(2000);
  }
  { AUTO_PROFILER_MARKER_TEXT("scope cuts", OTHER, {}, std::string(1023, 'x') + "\u20ac"); }
  { AUTO_PROFILER_MARKER(std::string(500, 'k'), OTHER, {}, markers::StackMarker); }
  baseprofiler::profiler_pause();
  { AUTO_PROFILER_MARKER("not wanted", OTHER, {}, markers::MediaSample, Evaluated(1), 2, 3); }
  baseprofiler::profiler_resume();
  PROFILER_MARKER("evaluated", OTHER, {}, markers::MediaSample, g_evaluated, 2, 3);
}

void TypesOfOneName() {
  PROFILER_MARKER("twice, number", OTHER, {}, number::Twice, 1u, 2u);
  const std::vector<std::string> texts = {"a", "\"b"};
  const std::map<std::string, int> rows = {{"c", 3}};
  PROFILER_MARKER("twice, list", OTHER, {}, list::Twice, texts, rows);
}

}  // namespace

int main() {
  usleep(30'000);  // the sampler says which clock is used
  NullTexts();
  Durations();
  Numbers();
  NullTimes();
  Scopes();
  Writers();
  Requests();
  TypesOfOneName();
  return 0;
}
