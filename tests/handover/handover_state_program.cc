// handover_state_program MODE FILE: the state of the recording as either API tells it. See handover_state_cases.py.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"
#include "marker_load.h"
#include "outcome_lines.h"

namespace {

void PrintParameters(const char* when) {
  uint32_t entries = 0, features = 0;
  std::optional<double> duration_s;
  double interval_ms = 0;
  std::vector<std::string> filters;
  profiler_get_start_params(&entries, &duration_s, &interval_ms, &features, &filters);
  printf("%s: entries %u, duration %g, interval %g, features %x, filters", when, entries, duration_s.value_or(-1),
         interval_ms, features);
  for (const std::string& filter : filters) printf(" '%s'", filter.c_str());
  printf("\n");
}

void Parameters(const char*) {
  static const char* const kFilters[] = {"GeckoMain", "part of a name", "*"};
  PrintParameters("inactive");
  profiler_start(300'000, 2.5, ProfilerFeature::CPUUtilization, kFilters, 3, 30.5);
  PrintParameters("started");
  profiler_ensure_started(1 << 20, 0.5, ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization, kFilters, 1);
  PrintParameters("another start");
  profiler_shutdown();
  PrintParameters("handed back");
  profiler_stop();
  PrintParameters("stopped");
  profiler_get_start_params(nullptr, nullptr, nullptr, nullptr, nullptr);
}

// One thread waits for what the other does, by either API, and answers it.
void OtherThread(const char*) {
  const auto seen_by_another = [](const char* what, auto changed) {
    bool seen = false;
    std::thread([&] {
      for (int i = 0; i < 5000 && !(seen = changed()); ++i) usleep(1000);
    }).join();
    printf("%s: seen %d\n", what, seen);
  };
  const auto full_active = [] { return profiler_is_active(); };
  const auto base_active = [] { return geckoprof::baseprofiler::profiler_is_active(); };
  const auto both_active = [=] { return full_active() && base_active(); };
  const auto none_active = [=] { return !full_active() && !base_active(); };
  seen_by_another("at first inactive", none_active);
  profiler_start(1 << 20, 1, 0);
  seen_by_another("started by full", both_active);
  std::thread([] { profiler_pause(); }).join();
  seen_by_another("paused by another", [] {
    return profiler_is_paused() && geckoprof::baseprofiler::profiler_is_paused() && !profiler_is_active_and_unpaused();
  });
  std::thread([] { geckoprof_base_resume(); }).join();
  seen_by_another("resumed by another", [] { return profiler_is_active_and_unpaused(); });
  std::thread([] { geckoprof_base_stop(); }).join();
  seen_by_another("stopped by another", none_active);
  std::thread([] { geckoprof_base_start(1 << 20, 1'000'000, 0, nullptr, 0, 0); }).join();
  seen_by_another("started by another", both_active);
  std::thread([] { profiler_stop(); }).join();
  seen_by_another("stopped by full", none_active);
}

// Whatever is not recorded costs nothing: not even what its arguments cost.
int g_evaluated = 0;
template <typename Value>
Value Evaluated(Value value) {
  ++g_evaluated;
  return value;
}
void Macros() {
  using geckoprof::MarkerOptions;
  using geckoprof::markers::Text;
  PROFILER_MARKER_UNTYPED("m", OTHER, Evaluated(MarkerOptions()));
  PROFILER_MARKER_TEXT("m", OTHER, Evaluated(MarkerOptions()), Evaluated("t"));
  PROFILER_MARKER("m", OTHER, Evaluated(MarkerOptions()), Text, Evaluated("t"));
  BASE_PROFILER_MARKER_UNTYPED("m", OTHER, Evaluated(MarkerOptions()));
  BASE_PROFILER_MARKER_TEXT("m", OTHER, Evaluated(MarkerOptions()), Evaluated("t"));
  BASE_PROFILER_MARKER("m", OTHER, Evaluated(MarkerOptions()), Text, Evaluated("t"));
  AUTO_PROFILER_MARKER_TEXT("m", OTHER, {}, Evaluated("t"));
  AUTO_BASE_PROFILER_MARKER_TEXT("m", OTHER, {}, Evaluated("t"));
  AUTO_PROFILER_LABEL_DYNAMIC_STRING("l", OTHER, Evaluated(std::string_view("t")));
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING("l", OTHER, Evaluated(std::string_view("t")));
}

void Arguments(const char*) {
  const auto print = [](const char* when) {
    g_evaluated = 0;
    Macros();
    printf("%s: evaluated %d\n", when, g_evaluated);
  };
  print("never started");
  profiler_init();
  print("owned, inactive");
  profiler_start(1 << 20, 1, 0);
  print("active");
  profiler_pause();
  print("paused");  // labels stay on
  profiler_stop();
  print("stopped");
}

// The features that are on, whoever has the recording.
void Features(const char*) {
  constexpr uint32_t kCpu = ProfilerFeature::CPUUtilization;
  const auto print = [](const char* when) {
    printf("%s: features %x, unpaused %x, cpu %d, without cpu %d\n", when, profiler_features_if_active().value_or(0),
           profiler_features_if_active_and_unpaused().value_or(0), profiler_feature_active(kCpu),
           profiler_active_without_feature(kCpu));
  };
  const auto start_base = [] { geckoprof_base_start(1 << 20, 1'000'000, ProfilerFeature::StackWalk, nullptr, 0, 0); };
  print("inactive");
  start_base();
  print("base's");
  profiler_start(1 << 20, 1, kCpu);
  print("started");
  profiler_pause_sampling();
  print("sampling paused");
  profiler_pause();
  print("paused");
  profiler_shutdown();
  print("handed back");
  geckoprof_base_stop();
  start_base();
  print("another of base's");
  profiler_init();
  print("taken over");
  profiler_stop();
  print("stopped");
}

// Filters that name processes only.
void OwnPid(const char* file) {
  const std::string own = "pid:" + std::to_string(getpid()), other = "pid:" + std::to_string(getppid());
  const auto start = [](std::vector<const char*> filters) {
    Print("start", profiler_start(1 << 20, 1, 0, filters.data(), static_cast<uint32_t>(filters.size())).outcome);
    printf("active %d\n", profiler_is_active());
  };
  start({other.c_str()});
  start({other.c_str(), own.c_str()});
  MarkerLoad load(2);
  WorkUntilSampled(150);  // The sampler may read the stack of a waiting thread as late as after six looks of 10 ms.
  load.Stop();
  PrintWhy("save", profiler_save_profile(file));
}

// A thread that the filters leave out marks by both APIs.
void FilteredMarkers(const char* file) {
  static const char* const kFilters[] = {"GeckoMain"};
  profiler_start(1 << 20, 1, 0, kFilters, 1);
  std::atomic<bool> ends{false};
  std::thread left_out([&] {
    AUTO_PROFILER_REGISTER_THREAD("left out");
    using enum geckoprof::ThreadProfilingFeatures;
    printf("sampled %d, marked %d %d\n", profiler_thread_is_being_profiled(Combine(Sampling, CPUUtilization)),
           profiler_thread_is_being_profiled(Any), profiler_thread_is_being_profiled_for_markers());
    PROFILER_MARKER_TEXT("by full", OTHER, {}, "text");
    BASE_PROFILER_MARKER_TEXT("by base", OTHER, {}, "text");
    while (!ends) WorkFor(kMs);
  });
  WorkUntilSampled();
  ends = true;
  left_out.join();
  PrintWhy("save", profiler_save_profile(file));
}

// Base records all threads; the takeover leaves some out, and a later start of another set takes them in again. Each
// thread marks what time it is, so that the profile's rows can be told apart.
void FiltersChange(const char* file) {
  static const char* const kAlpha[] = {"alpha"};
  geckoprof_base_start(16 << 20, 1'000'000, 0, nullptr, 0, 0);
  std::atomic<bool> ends{false};
  const auto work = [&](const char* name) {
    geckoprof_base_register_thread(name);
    while (!ends) WorkFor(kMs);
  };
  std::thread alpha(work, "alpha"), beta(work, "beta");
  WorkUntilSampled(100);
  Print("alpha only", profiler_start(0, 1, 0, kAlpha, 1).outcome);
  PROFILER_MARKER_UNTYPED("changed", OTHER);
  WorkUntilSampled(200);
  PROFILER_MARKER_UNTYPED("before", OTHER);
  profiler_shutdown();
  Print("all", profiler_start(0, 1, 0).outcome);
  PROFILER_MARKER_UNTYPED("again", OTHER);
  WorkUntilSampled(200);
  profiler_shutdown();
  Print("alpha to the end", profiler_start(0, 1, 0, kAlpha, 1).outcome);
  PROFILER_MARKER_UNTYPED("last change", OTHER);
  WorkUntilSampled(200);
  ends = true;
  alpha.join();
  beta.join();
  PrintWhy("save", profiler_save_profile(file));
}

// Base records what the filter selects; a takeover and a hand-back without another start leave it so. The main thread
// has another name with the full library.
void FilterStays(const char* file, const char* filter) {
  const char* const filters[] = {filter};
  geckoprof_base_start(16 << 20, 1'000'000, 0, filters, 1, 0);
  std::atomic<bool> ends{false};
  std::thread other([&] {
    geckoprof_base_register_thread("left out");
    while (!ends) WorkFor(kMs);
  });
  WorkFor(250 * kMs);
  PROFILER_MARKER_UNTYPED("taken over", OTHER);
  Print("init", profiler_init());
  WorkFor(250 * kMs);
  PROFILER_MARKER_UNTYPED("handed back", OTHER);
  Print("shutdown", profiler_shutdown());
  WorkFor(250 * kMs);
  ends = true;
  other.join();
  printf("profiled %d\n", geckoprof_base_thread_is_being_profiled());
  Print("init again", profiler_init());
  PrintWhy("save", profiler_save_profile(file));
}
void FilterOfProgram(const char* file) { FilterStays(file, "handover_state"); }
void FilterOfProfile(const char* file) { FilterStays(file, "geckomain"); }

// The main thread gets a name that the filter selects while the full library calls it by another one.
void FilterFollows(const char* file) {
  static const char* const kFilters[] = {"renamed"};
  geckoprof_base_start(16 << 20, 1'000'000, 0, kFilters, 1, 0);
  Print("init", profiler_init());
  WorkFor(50 * kMs);
  PROFILER_MARKER_UNTYPED("before", OTHER);
  prctl(PR_SET_NAME, "renamed");
  WorkFor(800 * kMs);
  printf("profiled %d\n", geckoprof_base_thread_is_being_profiled());
  PrintWhy("save", profiler_save_profile(file));
}

// A name that the main thread has from base's API stays one that filters know.
void FilterOfBase(const char* file) {
  const char* const filters[] = {"the boss"};
  geckoprof_base_register_thread("the boss");
  profiler_start(1 << 20, 1, 0, filters, 1);
  for (const bool both : {false, true}) {
    const auto sampled = geckoprof::ThreadProfilingFeatures::Sampling;
    printf("%s: profiled %d, by base %d\n", both ? "again" : "at first", profiler_thread_is_being_profiled(sampled),
           geckoprof_base_thread_is_being_profiled());
    profiler_start(1 << 20, 1, 0, filters, 1);
  }
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

// The stack of a marker at a place that nobody knows yet is left to the sampler; the profile is made at once.
void StackAtOnce(const char* file) {
  profiler_start(0, 1, 0);
  PROFILER_MARKER_UNTYPED("with a stack", OTHER, geckoprof::MarkerStack::Capture());
  PrintWhy("save", profiler_save_profile(file));
}

// Starts that cannot do all that they are asked for, while base records of itself.
// Threads that are over before a sampler that ticks every 50 ms could have seen them.
void EndedThreads(const char* file) {
  profiler_start(1 << 20, 50, 0);
  for (int i = 0; i < 100; ++i) {
    std::thread([i] {
      AUTO_PROFILER_REGISTER_THREAD(("brief " + std::to_string(i)).c_str());
      BASE_PROFILER_MARKER_UNTYPED("here", OTHER);
    }).join();
  }
  PrintWhy("save", profiler_save_profile(file));
}

void Refused(const char* file) {
  const std::string other = "pid:" + std::to_string(getppid());
  const char* const filters[] = {other.c_str()};
  geckoprof_base_start(16 << 20, 1'000'000, 0, nullptr, 0, 0);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  Print("excluded", profiler_start(0, 1, 0, filters, 1).outcome);
  WorkUntilSampled();
  PrintWhy("smaller", profiler_start(1 << 17, 1, 0).outcome);
  PrintWhy("the same", profiler_ensure_started(1 << 17, 1, 0).outcome);
  profiler_shutdown();  // the next start adopts it, as the first did
  rlimit before = {};
  getrlimit(RLIMIT_AS, &before);
  rlimit tight = before;
  long pages = 0;
  FILE* const sizes = fopen("/proc/self/statm", "r");
  if (sizes == nullptr || fscanf(sizes, "%ld", &pages) != 1) return;
  fclose(sizes);
  tight.rlim_cur = static_cast<rlim_t>(pages) * 4096 + (64 << 20);
  setrlimit(RLIMIT_AS, &tight);
  PrintWhy("too large", profiler_start(1 << 28, 1, 0).outcome);
  setrlimit(RLIMIT_AS, &before);
  uint32_t entries = 0;
  profiler_get_start_params(&entries, nullptr, nullptr, nullptr, nullptr);
  const uint64_t held = profiler_get_buffer_info().value_or(ProfilerBufferInfo{}).capacity_bytes;
  printf("in effect: same %d, less than asked for %d\n", entries * uint64_t{8} == held, held < uint64_t{2} << 30);
  PrintWhy("save", profiler_save_profile(file));
}

// A counter that changes all the time has a row for each tick.
void Deadlines(const char* file) {
  std::atomic<bool> ends{false};
  geckoprof_counter_description description = {sizeof description, 0, "changing", "Test", "", "", nullptr};
  geckoprof_counter* const counter = geckoprof_base_counter_create(&description);
  profiler_start(4 << 20, 4, 0);
  std::thread changing([&] {
    for (; !ends; usleep(300)) geckoprof_base_counter_add(counter, 1);
  });
  WorkFor(1200 * kMs);
  ends = true;
  changing.join();
  PrintWhy("save", profiler_save_profile(file));
}

// What the full library knows of the calling thread.
void PrintRegistration(const char* when) {
  std::string name = "nobody";
  geckoprof::ProfilerThreadRegistry::WithThread({}, [&](const auto& thread) { name = thread.Name(); });
  printf("%s: %s, %u times, profiled %d\n", when, name.c_str(), geckoprof::ThreadRegistration::RegistrationCount(),
         profiler_thread_is_being_profiled(geckoprof::ThreadProfilingFeatures::Sampling));
}

void MainThread(const char*) {
  const auto print = PrintRegistration;
  print("at first");
  std::thread([] { profiler_init(); }).join();
  print("init by another");
  profiler_init();
  profiler_init();
  print("init");
  profiler_start(1 << 20, 1, 0);
  print("started");
  profiler_register_thread("another name");
  profiler_shutdown();
  print("handed back");
  printf("unregister: %s\n", ToText(profiler_unregister_thread()));
  profiler_init();
  print("init again");
  std::thread([&] {
    profiler_start(1 << 20, 1, 0);
    print("another thread");
    printf("unregister: %s\n", ToText(profiler_unregister_thread()));
  }).join();
}

// A start does what init does.
void StartAlone(const char*) {
  PrintRegistration("at first");
  profiler_start(1 << 20, 1, 0);
  PrintRegistration("started");
  profiler_ensure_started(1 << 20, 1, 0);
  PrintRegistration("again");
}

// The profiler's own threads do not stand in the way of what only a process with one thread may do.
void OneThread(const char* file) {
  std::atomic<int> called{0}, heard{0};
  const auto call = [&] {
    const int before = called;
    if (!profiler_callback_after_sampling([&](SamplingState) { ++called; })) return;
    for (int i = 0; i < 20'000 && called == before; ++i) usleep(1000);
  };
  profiler_start(1 << 20, 1, 0);
  call();
  const auto print = [](const char* when, long result) {
    printf("%s: forbidden %d\n", when, result != 0 && errno == EINVAL);
  };
  print("after a callback", unshare(CLONE_NEWUSER));
  profiler_add_state_change_callback(
      ProfilingStateSet::AllStates(), [&](ProfilingState) { ++heard; }, 1);
  print("with a listener", unshare(CLONE_NEWUSER));
  print("by number", syscall(SYS_unshare, CLONE_NEWUSER));
  call();
  profiler_pause();
  profiler_resume();
  printf("called %d\n", called.load());
  profiler_remove_state_change_callback(1);
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

// The API's clock, asked before anything was recorded, and that of the profile.
void Clock(const char* file) {
  printf("early %d\n", profiler_time() > 0);
  profiler_start(1 << 20, 1, 0);
  for (int i = 0; i < 3; ++i) {
    const double before_ms = profiler_time();
    BASE_PROFILER_MARKER_UNTYPED("asked", OTHER);
    printf("asked %.6f %.6f\n", before_ms, profiler_time());
    WorkFor(5 * kMs);
  }
  PrintWhy("save", profiler_save_profile(file));
}

}  // namespace

int main(int argc, char** argv) {
  alarm(60);
  return RunMode(argc, argv,
                 {{"parameters", Parameters},
                  {"other_thread", OtherThread},
                  {"arguments", Arguments},
                  {"features", Features},
                  {"own_pid", OwnPid},
                  {"filtered_markers", FilteredMarkers},
                  {"filters_change", FiltersChange},
                  {"filter_of_program", FilterOfProgram},
                  {"filter_of_profile", FilterOfProfile},
                  {"filter_follows", FilterFollows},
                  {"filter_of_base", FilterOfBase},
                  {"stack_at_once", StackAtOnce},
                  {"ended_threads", EndedThreads},
                  {"refused", Refused},
                  {"deadlines", Deadlines},
                  {"main_thread", MainThread},
                  {"start_alone", StartAlone},
                  {"clock", Clock},
                  {"one_thread", OneThread}});
}
