// backtrace_program MODE PLUGIN: captures stacks of its own threads and checks them. Status 0: all was as it should be.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"

#define REQUIRE(condition)                                                    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                               \
    }                                                                         \
  } while (false)

namespace {

using geckoprof::ProfilerBacktrace;
using geckoprof::ProfilerStatus;
using geckoprof::ProfilerThreadId;

const char* g_plugin;

int64_t NowNs() { return geckoprof_base_now(); }

std::string NameOf(uint64_t address) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_sname == nullptr) return "?";
  return info.dli_sname;
}

// Names from the outermost frame on; labels in brackets.
template <typename Backtrace>
std::vector<std::string> NamesOf(const Backtrace& backtrace) {
  std::vector<std::string> names;
  for (size_t i = 0; i < backtrace.size(); ++i) {
    const auto frame = backtrace.frame(i);
    names.push_back(frame.is_label() ? "[" + std::string(frame.label) + "]" : NameOf(frame.address - 1));
  }
  return names;
}

// Keeps the names that are asked about, in order.
std::string Only(const std::vector<std::string>& names, std::initializer_list<const char*> wanted) {
  std::string out;
  for (const std::string& name : names) {
    if (std::any_of(wanted.begin(), wanted.end(), [&](const char* one) { return name == one; })) out += name + " ";
  }
  return out;
}

struct CollectedFrame {
  uint64_t address;
  uint32_t category_pair;
  std::string label;
  bool is_label() const { return address == 0; }
};
struct CollectedFrames : std::vector<CollectedFrame> {
  const CollectedFrame& frame(size_t index) const { return (*this)[index]; }
};
struct Collector : ProfilerStackCollector {
  void SetIsMainThread() override { is_main = true; }
  void CollectNativeLeafAddr(void* address) override { frames.push_back({reinterpret_cast<uint64_t>(address), 0, {}}); }
  void CollectProfilingStackFrame(const ProfilerLabelFrame& frame) override {
    frames.push_back({0, frame.category_pair, std::string(frame.label)});
  }
  bool is_main = false;
  CollectedFrames frames;
};

ProfilerStatus Sample(int32_t tid, Collector& collector, bool native = true, uint32_t features = 0) {
  return profiler_suspend_and_sample_thread(ProfilerThreadId::FromNumber(tid), features, collector, native).status;
}

// What comes is checked once it is tried again: a machine may be too busy to answer in time.
ProfilerStatus SampleSoon(int32_t tid, Collector& collector) {
  ProfilerStatus status = ProfilerStatus::kTimeout;
  // A sleeper with the signal blocked is deaf while it waits for a core.
  for (int i = 0; i < 50 && status != ProfilerStatus::kDone; ++i) {
    collector = {};
    status = Sample(tid, collector);
  }
  return status;
}

}  // namespace

// Named functions that stand on stacks. Each does something after its call, so that it is none in tail position.
extern "C" {
__attribute__((noinline)) void SpinHere(std::atomic<bool>* stop) {
  while (!stop->load(std::memory_order_relaxed)) {
    for (int i = 0; i < 100; ++i) asm volatile("");
  }
  asm volatile("");
}
__attribute__((noinline)) void SleepHere(std::atomic<bool>* stop) {
  while (!stop->load(std::memory_order_relaxed)) {
    const timespec pause = {0, 20'000'000};
    REQUIRE(nanosleep(&pause, nullptr) == 0);
  }
  asm volatile("");
}
__attribute__((noinline)) bool OuterOfLabel(ProfilerBacktrace* out);
__attribute__((noinline)) bool InnerOfLabel(ProfilerBacktrace* out) {
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("inner", GRAPHICS, "two");
  const bool result = profiler_capture_backtrace_into(*out, StackCaptureOptions::Full);
  asm volatile("");
  return result;
}
bool OuterOfLabel(ProfilerBacktrace* out) {
  AUTO_BASE_PROFILER_LABEL("outer", OTHER);
  const bool result = InnerOfLabel(out);
  asm volatile("");
  return result;
}
__attribute__((noinline)) bool Recurse(int depth, ProfilerBacktrace* out) {
  const bool result =
      depth == 0 ? profiler_capture_backtrace_into(*out, StackCaptureOptions::Full) : Recurse(depth - 1, out);
  asm volatile("");
  return result;
}
}

namespace {

// A thread that runs `body(&stop)` until the end of the scope.
class Target {
 public:
  using Body = void (*)(std::atomic<bool>*);
  explicit Target(Body body, bool deaf = false)
      : thread_([this, body, deaf] {
          AUTO_BASE_PROFILER_LABEL("target", OTHER);
          sigset_t every;
          sigfillset(&every);
          if (deaf) syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, nullptr, 8);
          tid_ = gettid();
          body(&stop_);
        }) {
    while (tid_ == 0) sched_yield();
  }
  ~Target() {
    stop_ = true;
    thread_.join();
  }
  int32_t tid() const { return tid_; }

 private:
  std::atomic<int32_t> tid_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

void Start() { REQUIRE(profiler_start(1 << 20, 1, ProfilerFeature::StackWalk)); }

// Every kind of thread. `active`: something is recorded.
void SampleEach(bool active) {
  Target spinning(&SpinHere), sleeping(&SleepHere), deaf_spinning(&SpinHere, true), deaf_sleeping(&SleepHere, true);
  usleep(5'000);
  for (int i = 0; i < 20; ++i) {
    Collector collector;
    REQUIRE(SampleSoon(spinning.tid(), collector) == ProfilerStatus::kDone);
    REQUIRE(!collector.is_main && Only(NamesOf(collector.frames), {"SpinHere", "[target]"}) == "[target] SpinHere ");
    for (const Target* const target : {&sleeping, &deaf_sleeping}) {
      REQUIRE(SampleSoon(target->tid(), collector) == ProfilerStatus::kDone);
      REQUIRE(Only(NamesOf(collector.frames), {"SleepHere", "[target]"}) == "[target] SleepHere ");
    }
  }
  Collector none;
  REQUIRE(Sample(deaf_spinning.tid(), none) == ProfilerStatus::kThreadSignalBlocked);
  REQUIRE(Sample(0x7fffffff, none) == ProfilerStatus::kThreadGone);
  REQUIRE(Sample(0, none) == ProfilerStatus::kBadArgument);
  REQUIRE(none.frames.empty());
  {
    AUTO_BASE_PROFILER_LABEL("own", TEST);
    Collector own;
    REQUIRE(Sample(gettid(), own) == ProfilerStatus::kDone);
    REQUIRE(own.is_main && Only(NamesOf(own.frames), {"main", "[own]"}) == "main [own] ");
    Collector labels;
    REQUIRE(Sample(gettid(), labels, false) == ProfilerStatus::kDone && labels.frames.size() == 2);
    REQUIRE(labels.frames.frame(0).label == "own" && labels.frames.frame(0).category_pair == 0x200);
    REQUIRE(!labels.frames.frame(1).is_label());
    Collector nothing;
    REQUIRE(Sample(gettid(), nothing, true, ProfilerFeature::NoStackSampling) == ProfilerStatus::kDone);
    REQUIRE(nothing.is_main && nothing.frames.empty());
  }
  Collector main_thread;
  const int32_t main_tid = gettid();
  std::thread([&] { REQUIRE(SampleSoon(main_tid, main_thread) == ProfilerStatus::kDone); }).join();
  REQUIRE(main_thread.is_main && Only(NamesOf(main_thread.frames), {"main"}) == "main ");
  REQUIRE(profiler_is_active() == active);
}

void Inactive() {
  REQUIRE(profiler_stop());
  SampleEach(false);
}

void Active() {
  Start();
  SampleEach(true);
}

void Backtraces() {
  REQUIRE(profiler_stop());
  ProfilerBacktrace into;
  REQUIRE(profiler_capture_backtrace() == nullptr && profiler_get_backtrace() == nullptr);
  REQUIRE(!profiler_capture_backtrace_into(into, StackCaptureOptions::Full));
  Start();
  REQUIRE(OuterOfLabel(&into));
  const std::vector<std::string> names = NamesOf(into);
  REQUIRE(Only(names, {"main", "OuterOfLabel", "InnerOfLabel", "[outer]", "[inner two]"}) ==
          "main OuterOfLabel [outer] InnerOfLabel [inner two] ");
  REQUIRE(names.back() == "[inner two]" && names[names.size() - 2] == "InnerOfLabel" && into.is_complete());
  REQUIRE(into.frame(into.size() - 1).category_pair == 0x400);
  REQUIRE(!profiler_capture_backtrace_into(into, StackCaptureOptions::NoStack) && into.empty());
  AUTO_BASE_PROFILER_LABEL("label", OTHER);
  REQUIRE(profiler_capture_backtrace_into(into, StackCaptureOptions::NonNative) && into.size() == 1);
  REQUIRE(into.frame(0).label == "label");
  std::vector<std::unique_ptr<ProfilerBacktrace>> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(profiler_capture_backtrace());
  for (const auto& one : kept) REQUIRE(one != nullptr && Only(NamesOf(*one), {"main"}) == "main ");
  kept.resize(50);
  std::unique_ptr<ProfilerBacktrace> of_another;
  std::thread([&] {
    of_another = profiler_get_backtrace();
    REQUIRE(of_another != nullptr && of_another->is_complete());
    REQUIRE(of_another->thread_id() == profiler_current_thread_id());
    REQUIRE(of_another->monotonic_ns() > 0 && of_another->monotonic_ns() <= NowNs());
  }).join();
  PROFILER_MARKER_UNTYPED("with a stack of another", OTHER, geckoprof::MarkerStack::UseBacktrace(*of_another));
  const auto result = profiler_get_profile();
  REQUIRE(result.ok());
  const std::string& profile = result.value();
  const size_t in_marker = profile.find("SyncProfile");
  REQUIRE(in_marker != std::string::npos && profile.find("SyncProfile", in_marker + 1) == std::string::npos);
  const std::string whose = "\"tid\":" + std::to_string(of_another->thread_id().ToNumber()) + "}";
  REQUIRE(profile.find(whose, in_marker) < profile.find("\"tid\"", in_marker) + 1);
  REQUIRE(profiler_stop());
  REQUIRE(Only(NamesOf(*kept[49]), {"main"}) == "main ");
  kept.clear();
  REQUIRE(profiler_start(1 << 20, 1, ProfilerFeature::NoStackSampling));
  REQUIRE(profiler_capture_backtrace() == nullptr);
  REQUIRE(profiler_start(1 << 20, 1, ProfilerFeature::CPUUtilization));
  const auto labels = profiler_capture_backtrace();
  REQUIRE(labels != nullptr && labels->size() == 1 && labels->frame(0).label == "label");
}

// Four threads capture themselves and each other while a plugin comes and goes.
void Churn() {
  Start();
  std::atomic<bool> stop{false};
  std::atomic<int> captured{0}, sampled{0}, through_plugin{0};
  std::atomic<int32_t> tids[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      tids[t] = gettid();
      AUTO_BASE_PROFILER_LABEL("churn", OTHER);
      while (!stop) {
        ProfilerBacktrace into;
        REQUIRE(Recurse(5, &into));
        if (Only(NamesOf(into), {"[churn]"}) == "[churn] ") ++captured;
        Collector collector;
        const int32_t other = tids[(t + 1) % 4];
        if (other != 0 && Sample(other, collector) == ProfilerStatus::kDone && !collector.frames.empty()) ++sampled;
      }
    });
  }
  using Function = void (*)(void (*)(void*), void*);
  const int64_t until_ns = NowNs() + 1'500'000'000;
  while (NowNs() < until_ns) {
    void* const plugin = dlopen(g_plugin, RTLD_NOW);
    REQUIRE(plugin != nullptr);
    const auto call = reinterpret_cast<Function>(dlsym(plugin, "CallFromPlugin"));
    REQUIRE(call != nullptr);
    struct Found {
      std::vector<std::string> names;
    } found;
    call(
        [](void* argument) {
          const auto backtrace = profiler_capture_backtrace();
          REQUIRE(backtrace != nullptr);
          static_cast<Found*>(argument)->names = NamesOf(*backtrace);
        },
        &found);
    if (Only(found.names, {"main", "CallFromPlugin"}) == "main CallFromPlugin ") ++through_plugin;
    dlclose(plugin);
    usleep(3'000);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  fprintf(stderr, "captured %d sampled %d through the plugin %d\n", captured.load(), sampled.load(),
          through_plugin.load());
  REQUIRE(captured > 100 && sampled > 10 && through_plugin > 20);
}

void Forked() {
  Start();
  ProfilerBacktrace into;
  REQUIRE(OuterOfLabel(&into));
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    ProfilerBacktrace own;
    while (!stop) profiler_capture_backtrace_into(own, StackCaptureOptions::Full);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      (void)profiler_start(1 << 20, 1, ProfilerFeature::StackWalk);
      REQUIRE(OuterOfLabel(&into) && Only(NamesOf(into), {"main", "[outer]"}) == "main [outer] ");
      Target spinning(&SpinHere);
      Collector collector;
      REQUIRE(SampleSoon(spinning.tid(), collector) == ProfilerStatus::kDone);
      REQUIRE(Only(NamesOf(collector.frames), {"SpinHere"}) == "SpinHere ");
      _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  }
  // In the child of a vfork: an answer, whatever it is.
  const pid_t child = vfork();
  if (child == 0) {
    const bool captured = profiler_capture_backtrace_into(into, StackCaptureOptions::Full);
    _exit(captured ? 1 : 0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  stop = true;
  busy.join();
}

// A call that is not restarted must not see our signal, and a relative wait must not grow.
void Interruptions() {
  Start();
  std::atomic<int> failed{0}, rounds{0};
  std::atomic<bool> stop{false};
  std::atomic<int32_t> tid{0};
  std::thread target([&] {
    tid = gettid();
    while (!stop) {
      const timespec pause = {0, 200'000};
      if (nanosleep(&pause, nullptr) != 0) ++failed;
      for (int i = 0; i < 50'000; ++i) asm volatile("");
      ++rounds;
    }
  });
  while (tid == 0) sched_yield();
  const int64_t until_ns = NowNs() + 700'000'000;
  int good = 0;
  while (NowNs() < until_ns) {
    Collector collector;
    if (Sample(tid, collector) == ProfilerStatus::kDone) ++good;
  }
  stop = true;
  target.join();
  fprintf(stderr, "sampled %d rounds %d\n", good, rounds.load());
  REQUIRE(failed == 0 && good > 100 && rounds > 100);
}

template <typename Function>
void Figure(const char* what, int count, const Function& function) {
  std::vector<int64_t> times;
  for (int i = 0; i < count; ++i) {
    const int64_t begin_ns = NowNs();
    function();
    times.push_back(NowNs() - begin_ns);
  }
  std::sort(times.begin(), times.end());
  fprintf(stderr, "%s: median %.1f us, p90 %.1f us\n", what, static_cast<double>(times[times.size() / 2]) / 1e3,
          static_cast<double>(times[times.size() * 9 / 10]) / 1e3);
}

void Figures() {
  Start();
  ProfilerBacktrace into;
  Recurse(24, &into);
  fprintf(stderr, "%zu frames\n", into.size());
  Figure("own backtrace, warm", 2000, [&] { Recurse(24, &into); });
  Target spinning(&SpinHere), sleeping(&SleepHere);
  Figure("another thread that runs", 500, [&] {
    Collector collector;
    Sample(spinning.tid(), collector);
  });
  Figure("another thread that sleeps", 500, [&] {
    Collector collector;
    Sample(sleeping.tid(), collector);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*run)();
  } modes[] = {{"active", &Active}, {"inactive", &Inactive},           {"backtraces", &Backtraces}, {"churn", &Churn},
               {"forked", &Forked}, {"interruptions", &Interruptions}, {"figures", &Figures}};
  alarm(100);
  for (const auto& mode : modes) {
    if (argc != 3 || strcmp(argv[1], mode.name) != 0) continue;
    g_plugin = argv[2];
    mode.run();
    return 0;
  }
  fprintf(stderr, "usage: %s MODE PLUGIN\n", argv[0]);
  return 2;
}
