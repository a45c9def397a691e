// Code as it is written for Firefox, of which only the includes were changed: docs/guides/porting-from-firefox.md shows
// it, and ported_profile.py checks that it is the same and reads the profile.
#include <optional>
#include <string>
#include <utility>

#include "baseprofiler/firefox_names.h"

// --- 1
struct DocumentParsed {
  static constexpr mozilla::Span<const char> MarkerTypeName() { return mozilla::MakeStringSpan("DocumentParsed"); }
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& aWriter,
                                   const mozilla::ProfilerString8View& aTitle, uint32_t aTokens) {
    aWriter.StringProperty("title", aTitle);
    aWriter.IntProperty("tokens", aTokens);
  }
  static mozilla::MarkerSchema MarkerTypeDisplay() {
    using MS = mozilla::MarkerSchema;
    MS schema(MS::Location::MarkerChart, MS::Location::MarkerTable);
    schema.SetAllLabels("{marker.data.title}");
    schema.AddKeyLabelFormatSearchable("title", "Title", MS::Format::String);
    schema.AddKeyLabelFormat("tokens", "Tokens", MS::Format::Integer);
    return schema;
  }
};

void ParseDocument(const char* aTitle) {
  AUTO_PROFILER_LABEL("ParseDocument", LAYOUT);
  PROFILER_MARKER("Parsed", LAYOUT, {}, DocumentParsed, aTitle, 42u);
}

// --- 2
struct TaskFlow : public mozilla::BaseMarkerType<TaskFlow> {
  static constexpr const char* Name = "TaskFlow";
  static constexpr const char* Description = "A task on its way through the queues";
  using MS = mozilla::MarkerSchema;
  static constexpr MS::PayloadField PayloadFields[] = {
      {"task", MS::InputType::CString, "Task", MS::Format::String, MS::PayloadFlags::Searchable},
      {"flow", MS::InputType::Uint64, "Flow", MS::Format::Flow, MS::PayloadFlags::Searchable}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable};
  static constexpr const char* ChartLabel = "{marker.data.task}";
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& aWriter,
                                   const mozilla::ProfilerString8View& aTask, mozilla::Flow aFlow) {
    StreamJSONMarkerDataImpl(aWriter, aTask, aFlow);
  }
};

void Dispatch(const void* aTask) {
  profiler_add_marker("Post", geckoprofiler::category::OTHER, mozilla::MarkerStack::Capture(), TaskFlow{}, "decode",
                      mozilla::Flow::FromPointer(aTask));
  PROFILER_MARKER("Run", OTHER, {}, geckoprofiler::markers::TerminatingFlowMarker, mozilla::Flow::FromPointer(aTask));
}

// --- 3
struct ResourceLoad : public mozilla::BaseMarkerType<ResourceLoad> {
  static constexpr const char* Name = "ResourceLoad";
  using MS = mozilla::MarkerSchema;
  static constexpr MS::PayloadField PayloadFields[] = {
      {"url", MS::InputType::CString, "URL", MS::Format::Url, MS::PayloadFlags::Searchable},
      {"status", MS::InputType::Uint32, "Status", MS::Format::Integer},
      {"bytes", MS::InputType::Uint64, "Transferred", MS::Format::Bytes},
      {"requestStart", MS::InputType::TimeStamp, "Request", MS::Format::Time},
      {"wait", MS::InputType::TimeDuration, "Waited", MS::Format::Duration},
      {"redirect", MS::InputType::CString, "Redirected to", MS::Format::Url, MS::PayloadFlags::Optional}};
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable};
  static constexpr const char* TableLabel = "{marker.data.status} {marker.data.url}";
};

void Load(const char* aUrl, const mozilla::Maybe<std::string>& aRedirect) {
  const mozilla::TimeStamp start = mozilla::TimeStamp::Now();
  const mozilla::TimeDuration wait = mozilla::TimeDuration::FromMilliseconds(1.5);
  PROFILER_MARKER("Load", NETWORK, mozilla::MarkerTiming::IntervalUntilNowFrom(start), ResourceLoad, aUrl, 200u, 4096u,
                  start, wait, aRedirect);
}

// --- 4
enum class Priority { Idle, Normal, Urgent };

struct PriorityChange {
  static constexpr mozilla::Span<const char> MarkerTypeName() { return mozilla::MakeStringSpan("PriorityChange"); }
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& aWriter, Priority aBefore,
                                   Priority aAfter, bool aForced) {
    aWriter.UniqueStringProperty("before", Text(aBefore));
    aWriter.UniqueStringProperty("after", Text(aAfter));
    if (aForced) aWriter.BoolProperty("forced", true);
  }
  static mozilla::MarkerSchema MarkerTypeDisplay() {
    using MS = mozilla::MarkerSchema;
    MS schema(MS::Location::MarkerTable);
    schema.SetTableLabel("{marker.data.before} -> {marker.data.after}");
    schema.AddKeyLabelFormat("before", "Before", MS::Format::UniqueString);
    schema.AddKeyLabelFormat("after", "After", MS::Format::UniqueString);
    schema.AddKeyLabelFormat("forced", "Forced", MS::Format::String);
    schema.AddStaticLabelValue("Note", "Of the process");
    return schema;
  }

 private:
  static const char* Text(Priority aPriority) {
    return aPriority == Priority::Idle ? "idle" : aPriority == Priority::Normal ? "normal" : "urgent";
  }
};

void Hurry() {
  profiler_add_marker("Priority", geckoprofiler::category::OTHER, {}, PriorityChange{}, Priority::Idle,
                      Priority::Urgent, true);
}

// --- 5
struct LayoutPass {
  static constexpr mozilla::Span<const char> MarkerTypeName() { return mozilla::MakeStringSpan("LayoutPass"); }
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& aWriter,
                                   mozilla::Span<const char* const> aRoots, mozilla::Span<const double> aPhasesMs) {
    aWriter.StartArrayProperty("roots");
    for (const char* root : aRoots) aWriter.StringElement(root);
    aWriter.EndArray();
    aWriter.StartArrayProperty("phases");
    for (size_t i = 0; i < aPhasesMs.size(); ++i) {
      aWriter.StartArrayElement();
      aWriter.IntElement(static_cast<int64_t>(i));
      aWriter.DoubleElement(aPhasesMs[i]);
      aWriter.EndArray();
    }
    aWriter.EndArray();
  }
  static mozilla::MarkerSchema MarkerTypeDisplay() {
    using MS = mozilla::MarkerSchema;
    static constexpr MS::TableColumn kColumns[] = {{"Phase", MS::Format::Integer}, {"Took", MS::Format::Milliseconds}};
    MS schema(MS::Location::MarkerChart, MS::Location::MarkerTable, MS::Location::TimelineOverview);
    schema.AddKeyLabelFormat("roots", "Roots", MS::Format::List);
    schema.AddKeyLabelTable("phases", "Phases", kColumns);
    return schema.SetIsStackBased();
  }
};

void Reflow() {
  const char* const roots[] = {"body", "aside"};
  const double phases_ms[] = {0.5, 1.25};
  AUTO_PROFILER_MARKER("Reflow", LAYOUT, {}, LayoutPass, roots, phases_ms);
}
// ---

// Where Firefox's own types stand, and PROFILER_MARKER looks for them.
namespace geckoprofiler::markers {

struct PurgeArena : mozilla::BaseMarkerType<PurgeArena> {
  static constexpr const char* Name = "PurgeArena";
  static constexpr MS::PayloadField PayloadFields[] = {{"pages", MS::InputType::Uint32, "Pages"}};
};

}  // namespace geckoprofiler::markers

void Purge() {
  PROFILER_MARKER("Purge", OTHER, {}, PurgeArena, 3u);
  profiler_add_marker("Purge", geckoprofiler::category::OTHER, {}, geckoprofiler::markers::PurgeArena{}, 4u);
  PROFILER_MARKER("Purge", OTHER, {}, NoPayload);
  PROFILER_MARKER("Purge", OTHER, mozilla::MarkerTiming::InstantAt(mozilla::TimeStamp::NowUnfuzzed()), TextMarker,
                  "all");
}

// What else such code says of what is not the profiler's own.
struct Viewer {
  static constexpr mozilla::Span<const char> MarkerTypeName() { return mozilla::MakeStringSpan("Viewer"); }
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& aWriter,
                                   const mozilla::ProfilerString8View& aName, const mozilla::Maybe<int>& aCount) {
    aWriter.StringProperty(mozilla::MakeStringSpan("name"), aName.AsSpan());
    aWriter.BoolProperty("named", aName.Length() != 0 && !aName.IsEmpty());
    if (aCount.isSome()) aWriter.IntProperty("count", aCount.ref());
    aWriter.BoolProperty("counted", !aCount.isNothing());
    aWriter.StringProperty("wide", std::u16string_view(u"wide \u00fc\U0001F600"));
    aWriter.StartArrayProperty("parts", aWriter.SingleLineStyle);
    aWriter.StringElement(std::u16string_view(u"\xd800"));
    aWriter.UniqueStringElement("part");
    aWriter.EndArray();
  }
  static mozilla::MarkerSchema MarkerTypeDisplay() { return mozilla::MarkerSchema::SpecialFrontendLocation{}; }
};
static_assert(mozilla::MarkerSchema::Format::TerminatingFlow == mozilla::MarkerSchema::Format::TerminatingFlowId);

void Show(const char* aName, const char16_t* aText) {
  PROFILER_MARKER("Show", OTHER, {}, Viewer, mozilla::ProfilerString8View::WrapNullTerminatedString(aName),
                  mozilla::Some(7));
  PROFILER_MARKER("Show", OTHER, {}, geckoprofiler::markers::TextMarker,
                  mozilla::ProfilerString16View::WrapNullTerminatedString(aText));
  profiler_add_marker("Show", geckoprofiler::category::OTHER, {}, geckoprofiler::markers::TextMarker{}, "third");
}

// What such code asks of its options, and base's own name of the function.
void Measure() {
  mozilla::MarkerOptions options;
  const bool isNow = options.IsTimingUnspecified();
  options.Set(mozilla::MarkerTiming::IntervalUntilNowFrom(mozilla::TimeStamp::ProcessCreation()));
  const mozilla::MarkerTiming timing = options.Timing();
  const bool isWhole = timing.MarkerPhase() == mozilla::MarkerTiming::Phase::Interval &&
                       timing.EndTime() - timing.StartTime() < mozilla::TimeDuration::Forever();
  AUTO_PROFILER_STATS(Measure);
  mozilla::baseprofiler::profiler_add_marker(
      "Measure", mozilla::baseprofiler::category::OTHER, std::move(options), geckoprofiler::markers::UserTimingMarker{},
      u"whole", isNow && isWhole ? "measure" : "mark", mozilla::Some(mozilla::ProfilerString16View(u"begin")),
      mozilla::Nothing());
}

int main() {
  Measure();
  Show("first", u"second");
  ParseDocument("A page");
  int task = 0;
  Dispatch(&task);
  Load("https://example.org/a.png", mozilla::Nothing());
  Load("https://example.org/b.png", mozilla::Some(std::string("https://example.org/c.png")));
  Hurry();
  Purge();
  Reflow();
  return 0;
}
