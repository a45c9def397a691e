// marker_program MODE [PLUGIN]: marks in all forms. What it marks is said in marker_profile.py, which reads the
// profiles.
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "tests/integration/markers/inline_markers.h"

namespace {

using namespace geckoprof;  // NOLINT: as a user of the macros would

struct Everything : BaseMarkerType<Everything> {
  using MS = MarkerSchema;
  static constexpr const char* Name = "Everything";
  static constexpr const char* Description = "A field of each kind";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"u64", MS::InputType::Uint64, "U64", MS::Format::Integer},
      {"u32", MS::InputType::Uint32, "U32", MS::Format::Bytes},
      {"u8", MS::InputType::Uint8, "U8", MS::Format::Hexadecimal},
      {"i64", MS::InputType::Int64, "I64", MS::Format::Integer},
      {"i32", MS::InputType::Int32, "I32", MS::Format::Integer},
      {"i8", MS::InputType::Int8, "I8", MS::Format::Integer},
      {"real", MS::InputType::Double, "Real", MS::Format::Decimal},
      {"flag", MS::InputType::Boolean, "Flag"},
      {"chars", MS::InputType::CString, "Chars", MS::Format::FilePath},
      {"text", MS::InputType::String, "Text", MS::Format::SanitizedString},
      {"unique", MS::InputType::String, "Unique", MS::Format::UniqueString},
      {"at", MS::InputType::TimeStamp, "At", MS::Format::Time},
      {"took", MS::InputType::TimeDuration, "Took", MS::Format::Duration},
      {"flow", MS::InputType::Flow, "Flow", MS::Format::FlowId},
      {"list", MS::InputType::StringList, "List", MS::Format::List},
      {"maybe", MS::InputType::Int64, "Maybe", MS::Format::Integer, MS::PayloadFlags::Optional},
      {"hidden", MS::InputType::String, "Hidden", MS::Format::String,
       MS::PayloadFlags::Hidden | MS::PayloadFlags::Optional},
  };
  static constexpr MS::Location Locations[] = {MS::Location::MarkerChart, MS::Location::MarkerTable,
                                               MS::Location::TimelineOverview};
  static constexpr const char* AllLabels = "{marker.name} {marker.data.text}";
  static constexpr MS::Graph Graphs[] = {{"real", MS::GraphType::FilledLine, MS::GraphColor::Teal}};
  static constexpr MS::Note Notes[] = {{"Note", "A note"}};
  static constexpr bool IsStackBased = true;
};

struct Number : BaseMarkerType<Number> {
  using MS = MarkerSchema;
  static constexpr const char* Name = "Number";
  static constexpr MS::PayloadField PayloadFields[] = {{"n", MS::InputType::Double, "N", MS::Format::Decimal}};
};
struct Wide : BaseMarkerType<Wide> {
  using MS = MarkerSchema;
  static constexpr const char* Name = "Wide";
  static constexpr MS::PayloadField PayloadFields[] = {{"w", MS::InputType::String, "W"}};
};
struct Duration : BaseMarkerType<Duration> {
  using MS = MarkerSchema;
  static constexpr const char* Name = "Duration";
  static constexpr MS::PayloadField PayloadFields[] = {{"d", MS::InputType::TimeDuration, "D", MS::Format::Duration}};
};
// More texts than a declared type may have; and more than there is room for.
struct ManyTexts {
  static constexpr int kCount = 40;
  static const char* Key(int i) {
    static constexpr char kKeys[] =
        "t00\0t01\0t02\0t03\0t04\0t05\0t06\0t07\0t08\0t09\0t10\0t11\0t12\0t13\0t14\0t15\0t16\0"
        "t17\0t18\0t19\0t20\0t21\0t22\0t23\0t24\0t25\0t26\0t27\0t28\0t29\0t30\0t31\0t32\0t33\0"
        "t34\0t35\0t36\0t37\0t38\0t39";
    return kKeys + 4 * i;
  }
  static constexpr std::string_view MarkerTypeName() { return "ManyTexts"; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer, std::string_view text) {
    for (int i = 0; i < kCount; ++i) writer.StringProperty(Key(i), text);
  }
  static MarkerSchema MarkerTypeDisplay() {
    MarkerSchema schema(MarkerSchema::Location::MarkerTable);
    for (int i = 0; i < kCount; ++i) schema.AddKeyFormat(Key(i), MarkerSchema::Format::String);
    return schema;
  }
};
struct Unused : BaseMarkerType<Unused> {
  [[maybe_unused]] static constexpr const char* Name = "Unused";
};
enum class Colour { kRed = 3 };

void MarkEverything(bool all, std::string_view text) {
  const std::vector<std::string> list = {"one", "",
                                         "thr\xff"
                                         "ee"};
  PROFILER_MARKER("everything", GRAPHICS, {}, Everything, UINT64_MAX, 4096u, uint8_t{255}, INT64_MIN, -5, int8_t{-128},
                  0.1, all, "/a/path", text, "the same", TimeStamp::Now(), std::chrono::microseconds(1500),
                  Flow::Global(0xabcdef), list, all ? std::optional<int>(7) : std::nullopt,
                  all ? std::optional<std::string>("shown") : std::nullopt);
}

void Forms() {
  const std::string dynamic = "dynamic";
  PROFILER_MARKER_UNTYPED("untyped", OTHER);
  PROFILER_MARKER_UNTYPED("untyped with options", TIMER, MarkerTiming::IntervalStart());
  PROFILER_MARKER_UNTYPED("untyped with braces", TIMER, {});
  PROFILER_MARKER_UNTYPED("own category", OTHER, MarkerCategory::TIMER);
  PROFILER_MARKER_TEXT("own category of a text", OTHER,
                       MarkerOptions(MarkerCategory::NETWORK, MarkerTiming::IntervalStart()), "text");
  PROFILER_MARKER_UNTYPED("two options", OTHER, MarkerThreadId::MainThread(), MarkerTiming::IntervalEnd());
  PROFILER_MARKER_UNTYPED(dynamic, OTHER);
  PROFILER_MARKER_UNTYPED("sum " + dynamic, OTHER);
  for (const char* name : {"in a loop 1", "in a loop 2"}) PROFILER_MARKER_UNTYPED(name, OTHER);
  PROFILER_MARKER_TEXT("text", STORAGE, {}, "a text");
  PROFILER_MARKER_TEXT(dynamic.c_str(), STORAGE, MarkerTiming::IntervalUntilNowFrom(TimeStamp::Now()), dynamic);
  PROFILER_MARKER("no fields", OTHER, {}, markers::StackMarker);
  PROFILER_MARKER("tracing", OTHER, {}, markers::Tracing, "category");
  PROFILER_MARKER("enum", OTHER, {}, markers::MediaSample, Colour::kRed, 2, 3);
  {
    AUTO_PROFILER_MARKER_UNTYPED("auto untyped", GRAPHICS);
    AUTO_PROFILER_MARKER_UNTYPED("auto untyped, no options", GRAPHICS, {});
    AUTO_PROFILER_MARKER_UNTYPED("auto untyped, options", GRAPHICS, MarkerTiming::InstantNow());
    AUTO_PROFILER_FLOW_MARKER("auto flow", OTHER, Flow::Global(0xabcdef));
    AUTO_PROFILER_TERMINATING_FLOW_MARKER("auto flow's end", OTHER, Flow::Global(0xabcdef));
    AUTO_PROFILER_MARKER_TEXT("auto text", OTHER, {}, dynamic);
    AUTO_PROFILER_MARKER("auto typed", OTHER, {}, markers::NetIO, 1, 2u);
    AUTO_PROFILER_MARKER("auto at", OTHER, MarkerTiming::InstantNow(), markers::NetIO, 3, 4);
    AUTO_PROFILER_MARKER(dynamic + " auto", OTHER, {}, markers::StackMarker);
  }
  BASE_PROFILER_MARKER_UNTYPED("base untyped", OTHER);
  BASE_PROFILER_MARKER_TEXT("base text", OTHER, {}, "text");
  BASE_PROFILER_MARKER("base typed", OTHER, {}, markers::CPUSpeed, 3.5);
  {
    AUTO_BASE_PROFILER_MARKER_UNTYPED("base auto untyped", OTHER);
    AUTO_BASE_PROFILER_MARKER_TEXT("base auto text", OTHER, {}, "text");
    AUTO_BASE_PROFILER_MARKER("base auto typed", OTHER, {}, markers::NetIO, 5, 6);
  }
  profiler_add_marker("function", MarkerCategory::NETWORK);
  profiler_add_marker(dynamic, MarkerCategory::NETWORK, MarkerTiming::IntervalStart());
  profiler_add_marker("function typed", MarkerCategory::LOGS, {}, markers::Log{}, "module", "message");
  baseprofiler::AddMarker("AddMarker", baseprofiler::Category::OTHER, {}, "text");
  MarkEverything(true, "first");
  MarkEverything(false, std::string(300, 'x'));
}

void BadInput() {
  const char* const no_text = nullptr;
  PROFILER_MARKER_TEXT("no text", OTHER, {}, no_text);
  PROFILER_MARKER_TEXT("invalid UTF-8", OTHER, {}, "a\xff\xc3");
  profiler_add_marker("name \xff", MarkerCategory::OTHER);
  PROFILER_MARKER("nan", OTHER, {}, Number, std::nan(""));
  PROFILER_MARKER("infinity", OTHER, {}, Number, std::numeric_limits<double>::infinity());
  PROFILER_MARKER("minus infinity", OTHER, {}, Number, -std::numeric_limits<double>::infinity());
  PROFILER_MARKER_UNTYPED("negative time", OTHER, MarkerTiming::InstantAt(-5));
  PROFILER_MARKER_UNTYPED("negative interval", OTHER, MarkerTiming::Interval(-50, -5));
  const int64_t now = geckoprof_base_now();
  PROFILER_MARKER_UNTYPED("end before start", OTHER, MarkerTiming::Interval(now, now - 1'000'000));
  PROFILER_MARKER("negative duration", OTHER, {}, Duration, std::chrono::milliseconds(-2));
  PROFILER_MARKER("wide", OTHER, {}, Wide, u"w\u00e9\u20ac\U0001f600");
  const char16_t halves[] = {0xd83d, u'a', 0xde00, 0xd83d, 0};
  PROFILER_MARKER("halves", OTHER, {}, Wide, std::u16string_view(halves, 4));
  PROFILER_MARKER("wide and long", OTHER, {}, Wide, std::u16string(5000, u'\u20ac'));
  PROFILER_MARKER_TEXT("long", OTHER, {}, std::string(5000, 'l'));
  PROFILER_MARKER_TEXT("long and wide", OTHER, {}, std::string(4095, 'l') + "\u20ac");
  PROFILER_MARKER_TEXT("as long as may be", OTHER, {}, std::string(4096, 'l'));
  PROFILER_MARKER_UNTYPED(std::string(401, 'n'), OTHER);
  PROFILER_MARKER("long list", OTHER, {}, markers::Text, std::string(10, 'a'));
  PROFILER_MARKER("many texts", OTHER, {}, ManyTexts, "the text");
  PROFILER_MARKER("too many bytes", OTHER, {}, ManyTexts, std::string(200, 'x'));
  geckoprof_marker_site site = {sizeof(geckoprof_marker_site), 1 << 8, "too large", nullptr, 0};
  geckoprof_marker_options options{};
  options.size_bytes = sizeof options;
  const std::string bytes(1 << 20, 'x');
  const geckoprof_piece piece = {bytes.data(), bytes.size()};
  if (geckoprof_base_add_marker(&site, &options, &piece, 1) != 3) puts("too large was taken");
}

void ManyKinds() {
  PROFILER_MARKER_UNTYPED("before", OTHER);
  constexpr size_t kCount = 40'000;
  static std::vector<std::string> names;
  static std::vector<geckoprof_marker_type> types(kCount);
  static std::vector<geckoprof_marker_site> sites(kCount);
  const geckoprof_marker_field field = {"n", "A number", "integer", GECKOPROF_FIELD_INT64, 0};
  for (size_t i = 0; i < kCount; ++i) names.push_back("kind " + std::to_string(i));
  size_t refused = 0;
  for (size_t i = 0; i < kCount; ++i) {
    types[i].size_bytes = sizeof types[i];
    types[i].name = names[i].c_str();
    types[i].fields = &field;
    types[i].field_count = 1;
    sites[i] = {sizeof(geckoprof_marker_site), 1 << 8, names[i].c_str(), &types[i], 0};
    geckoprof_marker_options options{};
    options.size_bytes = sizeof options;
    options.start = geckoprof_base_time();
    const int64_t number = static_cast<int64_t>(i);
    const geckoprof_piece piece = {&number, sizeof number};
    refused += geckoprof_base_add_marker(&sites[i], &options, &piece, 1) != 0;
  }
  PROFILER_MARKER_UNTYPED("before", OTHER);
  printf("refused %zu\n", refused);
}

volatile sig_atomic_t g_handled = 0;
void MarkInHandler(int) {
  g_handled = g_handled + 1;
  PROFILER_MARKER_TEXT("in the handler", OTHER, {}, "of a signal");
}
void Handler() {
  PROFILER_MARKER_TEXT("interrupted", OTHER, {}, "first");
  signal(SIGALRM, &MarkInHandler);
  const itimerval often = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const int64_t end = geckoprof_base_now() + 300'000'000;
  while (geckoprof_base_now() < end) {  // most of the time in a marker, and few enough for the buffer
    for (int i = 0; i < 20; ++i) PROFILER_MARKER_TEXT("interrupted", OTHER, {}, "sixteen bytes ok");
    for (int i = 0; i < 100'000; ++i) asm volatile("");
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  printf("handled %d\n", static_cast<int>(g_handled));
}

sigjmp_buf g_back;
volatile int g_made = 0;
const char* g_unreadable = nullptr;
void JumpBack(int) { siglongjmp(g_back, 1); }

// Its text cannot be read, and the handler of the fault leaves by a jump.
void FaultInMarker(int) { PROFILER_MARKER_TEXT("unreadable", OTHER, {}, std::string_view(g_unreadable, 50)); }

// A signal comes while its type is described, which is done at the first use; its handler marks the type and jumps.
struct Interrupted {
  static constexpr std::span<const char> MarkerTypeName() { return {"Interrupted", 11}; }
  static void StreamJSONMarkerData(baseprofiler::SpliceableJSONWriter& writer, int number) {
    writer.IntProperty("number", number);
  }
  static MarkerSchema MarkerTypeDisplay() {
    raise(SIGUSR2);
    MarkerSchema schema(MarkerSchema::Location::MarkerChart);
    schema.AddKeyLabelFormat("number", "Number", MarkerSchema::Format::Integer);
    return schema;
  }
};
void MarkTypeAndJump(int) {
  PROFILER_MARKER("of a type", OTHER, {}, Interrupted, 1);
  siglongjmp(g_back, 1);
}
void InterruptFirstUse() {
  signal(SIGUSR2, &MarkTypeAndJump);
  if (sigsetjmp(g_back, 1) == 0) PROFILER_MARKER("of a type", OTHER, {}, Interrupted, 2);
  PROFILER_MARKER("of a type", OTHER, {}, Interrupted, 3);
}

// A time-out as programs write it: the handler jumps out of whatever is under way.
void MarkUntilTimeOut() {
  if (sigsetjmp(g_back, 1) != 0) return;
  const itimerval soon = {{0, 0}, {0, 80}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  for (;;) {
    PROFILER_MARKER_TEXT("timed out", OTHER, {}, "sixteen bytes ok");
    g_made = g_made + 1;
    for (int i = 0; i < 20; ++i) asm volatile("");
  }
}

void Jumps() {
  constexpr size_t kBytes = 64 * 1024;
  auto* const memory = static_cast<char*>(mmap(nullptr, 2 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + kBytes, kBytes, PROT_READ | PROT_WRITE);
  const stack_t other_stack = {memory + kBytes, 0, kBytes};
  sigaltstack(&other_stack, nullptr);
  signal(SIGSEGV, &JumpBack);
  g_unreadable = memory;
  if (sigsetjmp(g_back, 1) == 0) FaultInMarker(0);
  PROFILER_MARKER_TEXT("after a fault", OTHER, {}, "t");
  struct sigaction on_other = {};
  on_other.sa_handler = &FaultInMarker;
  on_other.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &on_other, nullptr);
  if (sigsetjmp(g_back, 1) == 0) raise(SIGUSR1);
  PROFILER_MARKER_TEXT("after a fault", OTHER, {}, "t");
  InterruptFirstUse();
  signal(SIGALRM, &JumpBack);
  for (int i = 0; i < 100; ++i) MarkUntilTimeOut();
  PROFILER_MARKER_TEXT("after all jumps", OTHER, {}, "t");
  printf("made %d\n", static_cast<int>(g_made));
}

struct MarksAtEnd {
  ~MarksAtEnd() { PROFILER_MARKER_TEXT("thread_local destructor", OTHER, {}, "t"); }
};
thread_local MarksAtEnd t_marks_at_end;
void MarkInKeyDestructor(void*) { PROFILER_MARKER_UNTYPED("key destructor", OTHER); }
struct MarksAtExit {
  ~MarksAtExit() { PROFILER_MARKER_UNTYPED("static destructor", OTHER); }
};
MarksAtExit g_marks_at_exit;

void Threads() {
  pthread_key_t key;
  pthread_key_create(&key, &MarkInKeyDestructor);
  std::thread([key] {
    PROFILER_MARKER_UNTYPED("on a thread", OTHER);
    pthread_setspecific(key, "value");
    volatile auto* keep = &t_marks_at_end;
    static_cast<void>(keep);
  }).join();
  const int main_tid = static_cast<int>(getpid());
  std::thread([main_tid] {
    PROFILER_MARKER_UNTYPED("about main", OTHER, MarkerThreadId(main_tid));
    PROFILER_MARKER_TEXT("about main", OTHER, MarkerThreadId::MainThread(), "typed");
    PROFILER_MARKER_UNTYPED("about nobody", OTHER, MarkerThreadId(999'999'999));
  }).join();
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    PROFILER_MARKER_TEXT("in the child", OTHER, {}, "of a fork");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  PROFILER_MARKER_UNTYPED("after the fork", OTHER);
}

bool RunPlugin(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW);
  if (plugin == nullptr) return false;
  reinterpret_cast<void (*)()>(dlsym(plugin, "MarkInPlugin"))();
  dlclose(plugin);
  if (void* const still = dlopen(path, RTLD_NOW | RTLD_NOLOAD); still != nullptr) puts("the plugin is still there");
  return true;
}
void Plugin(const char* path) {
  for (int i = 0; i < 3; ++i) {
    if (!RunPlugin(path)) puts(dlerror());
  }
  PROFILER_MARKER_TEXT("after the plugin", OTHER, {}, "t");
}

void AfterStop() {
  PROFILER_MARKER_UNTYPED("while active", OTHER);
  baseprofiler::profiler_stop();
  PROFILER_MARKER_UNTYPED("after stop", OTHER);
  AUTO_PROFILER_MARKER_TEXT("after stop", OTHER, {}, "t");
  if (profiler_add_marker("after stop", MarkerCategory::OTHER)) puts("taken after stop");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  usleep(30'000);  // the sampler says which clock is used
  if (mode == "forms") Forms();
  if (mode == "bad-input") BadInput();
  if (mode == "many-kinds") ManyKinds();
  if (mode == "handler") Handler();
  if (mode == "jumps") Jumps();
  if (mode == "threads") Threads();
  if (mode == "plugin" && argc > 2) Plugin(argv[2]);
  if (mode == "inline") {
    MarkInline();
    MarkInlineElsewhere();
    for (int i = 2; i < argc; ++i) {
      if (!RunPlugin(argv[i])) puts(dlerror());
    }
  }
  if (mode == "after-stop") AfterStop();
  return 0;
}
