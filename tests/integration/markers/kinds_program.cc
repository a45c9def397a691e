// kinds_program kinds|ipc: a marker of each format, each option, each built-in type, by each API. What it marks is said
// in kinds_profile.py, which reads the profiles.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_base.h"
#include "baseprofiler/ipc_marker.h"
#include "baseprofiler/network_request.h"
#include "baseprofiler/simple_payload_marker.h"
#include "baseprofiler/startup_phase.h"
#include "baseprofiler/thread_sleep.h"

namespace {

using namespace geckoprof;  // NOLINT: as a user of the macros would
using namespace std::chrono_literals;
using MS = MarkerSchema;

enum class Colour : uint8_t { kRed = 3 };

// Each format, of what it is given most naturally.
struct Formats : BaseMarkerType<Formats> {
  static constexpr const char* Name = "Formats";
  static constexpr const char* Description = "A field of each format";
  static constexpr MS::TableColumn Columns[] = {{"Stage"},
                                                {"Took", MS::Format::Duration},
                                                {"Size", MS::Format::Bytes},
                                                {"Share", MS::Format::Percentage},
                                                {"Done", MS::Format::String},
                                                {nullptr, MS::Format::Integer}};
  static constexpr MS::PayloadField PayloadFields[] = {
      {"url", MS::InputType::CString, "Url", MS::Format::Url},
      {"path", MS::InputType::String, "Path", MS::Format::FilePath},
      {"sanitized", MS::InputType::String, "Sanitized", MS::Format::SanitizedString},
      {"string", MS::InputType::String, "String", MS::Format::String},
      {"unique", MS::InputType::CString, "Unique", MS::Format::UniqueString},
      {"duration", MS::InputType::TimeDuration, "Duration", MS::Format::Duration},
      {"time", MS::InputType::TimeStamp, "Time", MS::Format::Time},
      {"seconds", MS::InputType::TimeDuration, "Seconds", MS::Format::Seconds},
      {"milliseconds", MS::InputType::TimeDuration, "Milliseconds", MS::Format::Milliseconds},
      {"microseconds", MS::InputType::Int64, "Microseconds", MS::Format::Microseconds},
      {"nanoseconds", MS::InputType::Uint64, "Nanoseconds", MS::Format::Nanoseconds},
      {"bytes", MS::InputType::Uint32, "Bytes", MS::Format::Bytes},
      {"percentage", MS::InputType::Double, "Percentage", MS::Format::Percentage},
      {"integer", MS::InputType::Int32, "Integer", MS::Format::Integer},
      {"decimal", MS::InputType::Double, "Decimal", MS::Format::Decimal},
      {"hexadecimal", MS::InputType::Uint8, "Hexadecimal", MS::Format::Hexadecimal},
      {"pid", MS::InputType::Int64, "Pid", MS::Format::Pid},
      {"tid", MS::InputType::Int64, "Tid", MS::Format::Tid},
      {"list", MS::InputType::StringList, "List", MS::Format::List},
      {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId},
      {"ending", MS::InputType::Flow, "Ending", MS::Format::TerminatingFlowId},
      {"table", MS::InputType::Table, "Table", MS::Format::Table, MS::PayloadFlags::None, Columns},
      {"kind", MS::InputType::Uint8, "Enum", MS::Format::Integer},
      {"yes", MS::InputType::Boolean, "Yes"},
      {"hidden", MS::InputType::CString, "Hidden", MS::Format::String, MS::PayloadFlags::Hidden},
      {"colour", MS::InputType::CString, "Colour"}};
  static constexpr const char* ColorField = "colour";
  static constexpr const char* AllLabels = "{marker.data.table} {marker.data.list} {marker.data.bytes}";
  static constexpr MS::Graph Graphs[] = {{"bytes", MS::GraphType::Bar, MS::GraphColor::Green},
                                         {"percentage", MS::GraphType::Line, MS::GraphColor::None}};
};

// The same kinds of input, each of which may be missing.
struct Optionals : BaseMarkerType<Optionals> {
  static constexpr const char* Name = "Optionals";
  static constexpr auto kMaybe = MS::PayloadFlags::Optional;
  static constexpr MS::TableColumn Columns[] = {{"Key"}, {"Value"}};
  static constexpr MS::PayloadField PayloadFields[] = {
      {"u64", MS::InputType::Uint64, "U64", MS::Format::Integer, kMaybe},
      {"i8", MS::InputType::Int8, "I8", MS::Format::Integer, kMaybe},
      {"real", MS::InputType::Double, "Real", MS::Format::Decimal, kMaybe},
      {"flag", MS::InputType::Boolean, "Flag", MS::Format::String, kMaybe},
      {"chars", MS::InputType::CString, "Chars", MS::Format::String, kMaybe},
      {"wide", MS::InputType::String, "Wide", MS::Format::UniqueString, kMaybe},
      {"time", MS::InputType::TimeStamp, "Time", MS::Format::Time, kMaybe},
      {"took", MS::InputType::TimeDuration, "Took", MS::Format::Duration, kMaybe},
      {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId, kMaybe},
      {"list", MS::InputType::StringList, "List", MS::Format::List, kMaybe},
      {"table", MS::InputType::Table, "Table", MS::Format::Table, kMaybe, Columns}};
};

template <typename Size>
struct OfTemplate : BaseMarkerType<OfTemplate<Size>> {
  static constexpr const char* Name = "OfTemplate";
  static constexpr MS::PayloadField PayloadFields[] = {{"path", MS::InputType::CString, "Path", MS::Format::FilePath},
                                                       {"size", MS::InputType::Uint64, "Size", MS::Format::Bytes}};
};

// Without a schema of its own, and in the older way.
struct Older {
  static constexpr std::string_view MarkerTypeName() { return "Older"; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer, int number, Flow flow) {
    writer.IntProperty("int", number);
    writer.DoubleProperty("double", number / 8.0);
    writer.BoolProperty("bool", number > 0);
    writer.StringProperty("string", "a string");
    writer.UniqueStringProperty("unique", "the same");
    writer.NullProperty("null");
    writer.FlowProperty("flow", flow);
    writer.StartArrayProperty("list");
    writer.StringElement("one");
    writer.StringElement("two");
    writer.EndArray();
    writer.StartArrayProperty("table");
    for (int i = 0; i < 2; ++i) {
      writer.StartArrayElement();
      writer.StringElement("row");
      writer.IntElement(i);
      writer.EndArray();
    }
    writer.EndArray();
    writer.StartObjectProperty("object");
    writer.StartArrayProperty("nested");
    writer.StartObjectElement();
    writer.DoubleProperty("x", 0.5);
    writer.EndObject();
    writer.BoolElement(false);
    writer.NullElement();
    writer.DoubleElement(1.5);
    writer.EndArray();
    writer.EndObject();
  }
  static MarkerSchema MarkerTypeDisplay() {
    static constexpr MS::TableColumn kColumns[] = {{"Name"}, {"Number", MS::Format::Integer}};
    MS schema(MS::Location::MarkerChart, MS::Location::MarkerTable, MS::Location::TimelineMemory);
    schema.SetChartLabel("{marker.data.string}")
        .SetTooltipLabel("{marker.data.int}")
        .SetTableLabel("{marker.data.list}");
    schema.AddKeyFormat("int", MS::Format::Integer).AddKeyLabelFormat("double", "Double", MS::Format::Decimal);
    schema.AddKeyLabelFormat("unique", "Unique", MS::Format::UniqueString);
    schema.AddKeyLabelFormat("flow", "Flow", MS::Format::FlowId).AddKeyLabelFormat("list", "List", MS::Format::List);
    schema.AddKeyLabelTable("table", "Table", kColumns);
    schema.AddKeyLabelFormat("string", "String", MS::Format::String, MS::PayloadFlags::Hidden);
    return schema.AddStaticLabelValue("Note", "a note").AddChartColor("int", MS::GraphType::Line, MS::GraphColor::Red);
  }
};

void MarkFormats() {
  using Row = std::tuple<std::string_view, std::chrono::microseconds, uint64_t, double, bool, std::optional<int>>;
  const std::vector<Row> rows = {{"parse", 1500us, 4096, 0.25, true, 7},
                                 {"l\xff"
                                  "ink",
                                  -1us,
                                  UINT64_MAX,
                                  1,
                                  false,
                                  {}}};
  const std::list<std::string> list = {"one", "", "three"};
  PROFILER_MARKER("formats", GRAPHICS, {}, Formats, "https://example.org/a?b=c", "/a/path", u"w\u00e4rme", "a string",
                  "the same", 1500us, TimeStamp::Now(), 2s, 1250us, 7, 9u, 4096u, 0.5, -5, 0.1, uint8_t{255}, getpid(),
                  getpid(), list, Flow::Global(0xabcdef), Flow::Global(0xabcdef), rows, Colour::kRed, true, "hidden",
                  "magenta");
  PROFILER_MARKER("empty table", GRAPHICS, {}, Optionals, 1, 2, 3, true, "", u"", TimeStamp::Now(), 0ns,
                  Flow::Global(0), std::vector<std::string>(), std::vector<std::pair<std::string, int>>());
  const std::optional<std::vector<std::array<const char*, 2>>> pairs = {{{"a", "1"}}};
  PROFILER_MARKER("given", OTHER, {}, Optionals, std::optional<uint64_t>(1), std::optional<int>(-2),
                  std::optional<double>(0.5), std::optional<bool>(false), std::optional<std::string>("chars"),
                  std::optional<std::u16string>(u"wide"), std::optional<TimeStamp>(TimeStamp::Now()),
                  std::optional<std::chrono::milliseconds>(3ms), std::optional<Flow>(Flow::Global(0xf)),
                  std::optional<std::vector<std::string>>({"x"}), pairs);
  PROFILER_MARKER("missing", OTHER, {}, Optionals, std::optional<uint64_t>(), std::optional<int>(),
                  std::optional<double>(), std::optional<bool>(), std::optional<std::string>(),
                  std::optional<std::u16string>(), std::optional<TimeStamp>(), std::optional<std::chrono::seconds>(),
                  std::optional<Flow>(), std::optional<std::vector<std::string>>(), decltype(pairs)());
  const std::nullopt_t none = std::nullopt;
  PROFILER_MARKER("nothing", OTHER, {}, Optionals, none, none, none, none, none, none, none, none, none, none, none);
  {
    AUTO_PROFILER_MARKER("nothing", OTHER, {}, Optionals, 7u, none, none, none, none, none, none, none, none, none,
                         none);
  }
  PROFILER_MARKER("template", OTHER, {}, OfTemplate<uint64_t>, "a path", UINT64_MAX);
  PROFILER_MARKER("older", LAYOUT, {}, Older, 4, Flow::Global(0x123));
  int object = 0;
  PROFILER_MARKER("flow of an object", OTHER, {}, markers::FlowMarker, Flow::FromPointer(&object));
  PROFILER_MARKER("flow of the process", OTHER, {}, markers::TerminatingFlowMarker,
                  Flow::ProcessScoped(reinterpret_cast<uint64_t>(&object)));
  // What is cut: a text, a list, a table, a name.
  PROFILER_MARKER_TEXT("cut text", OTHER, {}, std::string(5000, 't'));
  const std::vector<std::string> long_list(100, std::string(90, 'l'));
  const std::vector<std::pair<std::string, int>> long_table(100, {std::string(90, 'r'), 1});
  PROFILER_MARKER("cut list", OTHER, {}, Optionals, 1, 2, 3, true, "", "", TimeStamp::Now(), 0ns, Flow::Global(0),
                  long_list, std::vector<std::pair<std::string, int>>());
  PROFILER_MARKER("cut table", OTHER, {}, Optionals, 1, 2, 3, true, "", "", TimeStamp::Now(), 0ns, Flow::Global(0),
                  std::vector<std::string>(), long_table);
  PROFILER_MARKER_UNTYPED("cut " + std::string(500, 'n'), OTHER);
}

// Every timing, about every thread, with every stack, with and without a payload; in no flow, in one, at its end.
struct StoredStack {
  struct Frame {
    uint64_t address;
    std::string_view label;
    uint32_t category_pair;
  };
  uint32_t size() const { return 2; }
  Frame frame(uint32_t index) const {
    return index == 0 ? Frame{reinterpret_cast<uint64_t>(__builtin_return_address(0)), {}, 0}
                      : Frame{0, "stored label", baseprofiler::ToCategoryPair(MarkerCategory::MEDIA)};
  }
};

void MarkOptions(int32_t other_tid) {
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("open label", STORAGE, "of the moment");
  const StoredStack stored;
  const TimeStamp now = TimeStamp::Now();
  const TimeStamp before(geckoprof_base_now() - 5'000'000);
  const MarkerTiming timings[] = {MarkerTiming::InstantAt(before),     MarkerTiming::InstantNow(),
                                  MarkerTiming::Interval(before, now), MarkerTiming::IntervalUntilNowFrom(now),
                                  MarkerTiming::IntervalStart(before), MarkerTiming::IntervalEnd(now)};
  const MarkerThreadId threads[] = {MarkerThreadId(), MarkerThreadId::CurrentThread(), MarkerThreadId::MainThread(),
                                    MarkerThreadId(other_tid)};
  const MarkerFlow flows[] = {MarkerFlow(), MarkerFlow(Flow::Global(0xf10)),
                              MarkerFlow::Terminating(Flow::Global(0xf10))};
  for (size_t t = 0; t < std::size(timings); ++t) {
    for (size_t h = 0; h < std::size(threads); ++h) {
      for (int s = 0; s < 6; ++s) {
        const auto stack = [&]() -> MarkerStack {
          switch (s) {
            case 1:
              return MarkerStack::Capture();
            case 2:
              return MarkerStack::Capture(StackCaptureOptions::NonNative);
            case 3:
              return MarkerStack::UseBacktrace(stored);
            case 4:
              return MarkerStack::TakeBacktrace(std::make_unique<StoredStack>());
            default:
              return MarkerStack::MaybeCapture(s == 5);
          }
        };
        std::string name = "options 000";
        name[8] = static_cast<char>('0' + t);
        name[9] = static_cast<char>('0' + h);
        name[10] = static_cast<char>('0' + s);
        const MarkerFlow flow = flows[(t + h + static_cast<size_t>(s)) % 3];
        profiler_add_marker(name, MarkerCategory::TEST, MarkerOptions(timings[t], threads[h], stack(), flow));
        PROFILER_MARKER(name, TEST, MarkerOptions(flow, stack(), threads[h], timings[t]), markers::Text, name);
      }
    }
  }
}

void MarkBuiltIns() {
  const auto add = [](auto type, const auto&... arguments) {
    profiler_add_marker(std::string("built-in ") + decltype(type)::Name, MarkerCategory::OTHER, {}, type, arguments...);
  };
  const Flow flow = Flow::Global(0x77);
  add(markers::Text{}, "text");
  add(markers::TextStack{}, "text");
  add(markers::StackMarker{});
  add(markers::Tracing{}, "category");
  add(markers::Log{}, "module", "message");
  add(markers::FileIO{}, "read", "main", std::optional<std::string>("/a/file"), std::optional<int>(getpid()));
  add(markers::Preference{}, "a.b", "user", "bool", "true");
  add(markers::Timer{}, 5.0, "one shot", true);
  add(markers::AddRemoveTimer{}, "timer", 10.0, getpid());
  add(markers::UserTiming{}, "measure", "measure", std::optional<std::string>("start"), std::optional<std::string>());
  add(markers::MainThreadLongTask{}, "LongTask");
  add(markers::Collection{}, "full", std::optional<std::string>("minor"), std::optional<uint64_t>(4096),
      std::optional<uint64_t>());
  add(markers::CollectionSlice{}, "full", std::optional<std::chrono::milliseconds>(5ms));
  add(markers::NetIO{}, 1000u, 2000u);
  add(markers::CPUSpeed{}, 3.5);
  add(markers::Awake{}, std::optional<std::chrono::microseconds>(1500us), std::optional<int>(1), std::optional<int>());
  add(markers::WakeUpCount{}, 7u, "wakes");
  add(markers::StartupPhase{});
  add(markers::UnregisteredThreadLifetime{}, getpid(), "worker", std::optional<std::string>("ended"));
  add(markers::UnregisteredThreadCPU{}, getpid(), 1500us, 0.25);
  add(markers::MediaSample{}, 1, 2, 3);
  add(markers::VideoFallingBehind{}, 1, 2);
  add(markers::VideoSinkRender{}, 3);
  add(markers::MediaEngine{}, 4u);
  add(markers::MediaEngineText{}, 4u, "text");
  add(markers::ContentFullPaintTime{});
  add(markers::FlowMarker{}, flow);
  add(markers::FlowStackMarker{}, flow);
  add(markers::FlowTextMarker{}, "text", flow);
  add(markers::Runnable{}, "task", flow);
  add(markers::TerminatingFlowStackMarker{}, flow);
  add(markers::TerminatingFlowTextMarker{}, "text", flow);
  add(markers::TerminatingFlowMarker{}, flow);
}

void MarkFormatted() {
  PROFILER_MARKER_FMT("formatted", OTHER, {}, "{} of {} files, {:.1f} %", 3, "seven", 42.86);
  PROFILER_MARKER_FMT("formatted long", OTHER, {}, "{}", std::string(2000, 'z'));
  { AUTO_PROFILER_MARKER_FMT("formatted scope", OTHER, {}, "{:#x}", 255); }
  const int width = 3;
  const std::string title = "a title";
  const auto took = 1500us;
  PROFILER_MARKER_SIMPLE_PAYLOAD("simple", GRAPHICS, width, title, took, std::max(1, 2));
  PROFILER_MARKER_SIMPLE_PAYLOAD_WITH_LABEL("simple with label", GRAPHICS, "{marker.data.width} px", width);
}

void MarkPhases() {
  profiler_startup_phase("first phase");
  usleep(2000);
  std::thread([] { profiler_startup_phase("second phase"); }).join();
  usleep(2000);
  profiler_startup_phase_end();
  profiler_startup_phase_end();
  { AUTO_PROFILER_STARTUP_PHASE("phase of a scope"); }
  for (int i = 0; i < 2; ++i) {
    AUTO_BASE_PROFILER_THREAD_SLEEP;
    usleep(1000);
  }
}

void MarkAllocations() {
  profiler_add_native_allocation_marker(64, 0x1000);
  for (int i = 1; i < 3; ++i) {
    profiler_add_marker("Native allocation", MarkerCategory::OTHER, MarkerStack::Capture(), markers::NativeAllocation{},
                        i == 2 ? -64 : 64, std::optional<uint64_t>(0x1000), std::optional<int>(getpid()));
  }
}

void MarkNetwork() {
  NetworkRequest first("https://example.org/a.html");
  first.Start();
  const std::string long_url = "https://example.org/w\xc3\xa4rme/" + std::string(400, 'x');
  NetworkRequest second(long_url, 10);
  usleep(1000);
  second.Start();
  NetworkOutcome outcome;
  std::optional<TimeStamp>* const phases[] = {
      &outcome.phases.domain_lookup_start, &outcome.phases.domain_lookup_end,       &outcome.phases.connect_start,
      &outcome.phases.tcp_connect_end,     &outcome.phases.secure_connection_start, &outcome.phases.connect_end,
      &outcome.phases.request_start,       &outcome.phases.response_start,          &outcome.phases.response_end};
  for (auto* const phase : phases) {
    usleep(2000);
    *phase = TimeStamp::Now();
  }
  outcome.transferred_bytes = 12345;
  outcome.response_status = 200;
  outcome.content_type = "text/html";
  outcome.http_version = "h2";
  outcome.cache = "Missed";
  usleep(1000);
  std::thread([&] { first.Finish(outcome); }).join();
  NetworkOutcome redirected;
  redirected.status = NetworkOutcome::Status::kRedirected;
  redirected.redirected_to = "https://example.org/b.html";
  redirected.redirect_type = "Permanent";
  second.Finish(redirected);
}

// The same kinds through the interface of C.
void MarkByC() {
  static const geckoprof_marker_field fields[] = {{"i", nullptr, "integer", GECKOPROF_FIELD_INT64, 0},
                                                  {"u", "U", "bytes", GECKOPROF_FIELD_UINT64, 0},
                                                  {"d", "D", "decimal", GECKOPROF_FIELD_DOUBLE, 0},
                                                  {"b", "B", "string", GECKOPROF_FIELD_BOOL, 0},
                                                  {"s", "S", "unique-string", GECKOPROF_FIELD_STRING, 0},
                                                  {"m", "M", "time", GECKOPROF_FIELD_TIME, 0},
                                                  {"n", "N", "duration", GECKOPROF_FIELD_NS, 0},
                                                  {"f", "F", "terminating-flow-id", GECKOPROF_FIELD_FLOW, 0},
                                                  {"l", "L", "list", GECKOPROF_FIELD_VALUE, GECKOPROF_FIELD_OPTIONAL},
                                                  {"t", "T",
                                                   GECKOPROF_TABLE GECKOPROF_COLUMN("Key", "string") GECKOPROF_COLUMN(
                                                       "Took", "duration") GECKOPROF_COLUMN("", "integer"),
                                                   GECKOPROF_FIELD_VALUE, GECKOPROF_FIELD_OPTIONAL}};
  geckoprof_marker_type description = {};
  description.size_bytes = sizeof description;
  description.name = "ByC";
  description.fields = fields;
  description.field_count = std::size(fields);
  static geckoprof_type* const type = geckoprof_base_declare_type(nullptr, &description);
  static geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "by C", GECKOPROF_CATEGORY_STORAGE, type);
  const char* const texts[] = {"one", "two"};
  const geckoprof_value cells[] = {geckoprof_string("a"), geckoprof_duration_ns(1'500'000),
                                   geckoprof_uint64(7),   geckoprof_string("b"),
                                   geckoprof_nothing(),   geckoprof_uint64(UINT64_MAX)};
  geckoprof_value values[] = {geckoprof_int64(-1),
                              geckoprof_uint64(UINT64_MAX),
                              geckoprof_double(0.5),
                              geckoprof_bool(1),
                              geckoprof_string("s"),
                              geckoprof_moment(geckoprof_base_time()),
                              geckoprof_duration_ns(2'500'000),
                              geckoprof_flow(0xc),
                              geckoprof_strings(texts, 2),
                              geckoprof_rows(cells, 3, 2)};
  geckoprof_base_mark(site, nullptr, values, std::size(values));
  values[8] = values[9] = geckoprof_nothing();
  geckoprof_base_mark(site, nullptr, values, std::size(values));
}

// The same number in two processes.
void MarkFlows() {
  PROFILER_MARKER("flow of a process", OTHER, {}, markers::FlowMarker, Flow::ProcessScoped(5));
  PROFILER_MARKER("flow of all", OTHER, {}, markers::FlowMarker, Flow::Global(5));
}

void MarkMessages() {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // No sleep: the segment of a forked child comes with its first marker.
    char byte = 0;
    if (read(pipe_ends[0], &byte, 1) != 1) _exit(1);
    profiler_add_ipc_marker({.other_pid = parent, .type = "Job::Run", .number = 7, .is_child = true},
                            IpcDirection::kReceiving);
    MarkFlows();
    _exit(0);
  }
  profiler_add_ipc_marker({.other_pid = child, .type = "Job::Run", .number = 7}, IpcDirection::kSending);
  profiler_add_ipc_marker({.other_pid = child, .type = "Job::Run", .number = 7}, IpcDirection::kSending,
                          IpcPhase::kTransferStart);
  MarkFlows();
  usleep(20'000);
  if (write(pipe_ends[1], "x", 1) != 1) return;
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  usleep(30'000);  // the sampler says which clock is used
  if (mode == "ipc") {
    MarkMessages();
    return 0;
  }
  if (mode == "allocations") MarkAllocations();
  if (mode != "kinds") return 0;
  MarkFormats();
  MarkOptions(static_cast<int32_t>(MarkerThreadId::MainThread().tid()));
  std::thread([] { MarkOptions(MarkerThreadId::CurrentThread().tid()); }).join();
  MarkBuiltIns();
  MarkFormatted();
  MarkPhases();
  MarkNetwork();
  MarkByC();
  timespec cpu = {};
  while (cpu.tv_nsec < 30'000'000 && cpu.tv_sec == 0) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);  // for samples
  return 0;
}
