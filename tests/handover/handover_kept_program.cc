// handover_kept_program MODE FILE: what the program had made before the full library took over, made meanwhile, and had
// open at either change. What the profiles must look like is said in handover_kept_cases.py. FILE: where the full
// library saves one.
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"
#include "marker_load.h"
#include "outcome_lines.h"

namespace {

using geckoprof::MarkerStack;
using geckoprof::MarkerTiming;

PROFILER_DEFINE_COUNT_TOTAL(early, "Memory", "First used before the takeover", {.unit = "bytes"});
BASE_PROFILER_DEFINE_COUNT(early_of_base, "Test", "The same, by base's macro");
PROFILER_DEFINE_COUNT_TOTAL(meanwhile, "Test", "First used while the full library is the owner");
BASE_PROFILER_DEFINE_COUNT(late, "Test", "First used after the hand-back");

geckoprof_counter* Create(const char* name) {
  const geckoprof_counter_description description = {
      sizeof description, GECKOPROF_COUNTER_HAS_NUMBER, name, "Test", "", "", nullptr};
  return geckoprof_base_counter_create(&description);
}

// A counter that a thread of its own adds 1 to, at most once in 200 us: what is more than that in a row is a jump.
class Pump {
 public:
  template <typename Add>
  Pump(const char* name, Add add)
      : name_(name), thread_([this, add] {
          for (; !ends_; ++count_) {
            add();
            usleep(200);
          }
        }) {}
  void Stop() {
    ends_ = true;
    thread_.join();
    printf("counter %s %d\n", name_, count_.load());
  }
  void AwaitMore() const {
    for (const int target = count_ + 300; count_ < target;) usleep(1000);
  }

 private:
  const char* const name_;
  std::atomic<bool> ends_{false};
  std::atomic<int> count_{0};
  std::thread thread_;
};

class CreatedPump {
 public:
  explicit CreatedPump(const char* name)
      : counter_(Create(name)), pump_(name, [this] { geckoprof_base_counter_add(counter_, 1); }) {}
  void Destroy() {
    pump_.Stop();
    geckoprof_base_counter_destroy(counter_);
  }
  const Pump& pump() const { return pump_; }

 private:
  geckoprof_counter* const counter_;
  Pump pump_;
};

void HandOverOften() {
  for (int i = 0; i < 20; ++i) {
    profiler_init();
    usleep(2000);
    profiler_shutdown();
    usleep(2000);
  }
}

void Counters(const char* file) {
  Pump early("early", [] { AUTO_PROFILER_COUNT_TOTAL(early, 1); });
  Pump early_of_base("early_of_base", [] { AUTO_BASE_PROFILER_COUNT(early_of_base, 1); });
  CreatedPump created("destroyed_meanwhile"), kept("destroyed_after");
  created.pump().AwaitMore();
  HandOverOften();
  Print("init", profiler_init());
  Pump meanwhile("meanwhile", [] { AUTO_PROFILER_COUNT_TOTAL(meanwhile, 1); });
  CreatedPump made("made_meanwhile");
  made.pump().AwaitMore();
  created.Destroy();
  Print("start", profiler_start(4 << 20, 0.5, 0).outcome);
  kept.pump().AwaitMore();
  Print("shutdown", profiler_shutdown());
  kept.pump().AwaitMore();
  kept.Destroy();
  made.Destroy();
  Pump late("late", [] { AUTO_BASE_PROFILER_COUNT(late, 1); });
  HandOverOften();
  late.AwaitMore();
  for (Pump* pump : {&early, &early_of_base, &meanwhile, &late}) pump->Stop();
  usleep(20'000);  // a tick that has the last of it
  PrintWhy("save", profiler_save_profile(file));
}

void Step(const char* name) {
  const auto start = geckoprof::TimeStamp::Now();
  WorkUntilSampled(60);
  PROFILER_MARKER_TEXT("step", OTHER, MarkerTiming::IntervalUntilNowFrom(start), name);
}

void Labels(const char* file) {
  std::atomic<int> step{0};
  const auto await = [&step](int at_least) {
    while (step < at_least) WorkFor(kMs);
  };
  std::thread other([&] {
    AUTO_PROFILER_REGISTER_THREAD("Other");
    AUTO_PROFILER_LABEL("other: before to after", OTHER);
    {
      AUTO_BASE_PROFILER_LABEL("other: before to meanwhile", OTHER);
      await(2);
    }
    AUTO_PROFILER_LABEL("other: meanwhile to after", OTHER);
    await(4);
  });
  {
    AUTO_BASE_PROFILER_LABEL("outer of base", OTHER);
    const std::string text = "copied";
    AUTO_PROFILER_LABEL_DYNAMIC_STRING("outer of full", GRAPHICS, text);
    Step("before");
    {
      AUTO_PROFILER_LABEL("closed meanwhile", OTHER);
      profiler_init();
      step = 1;
      Step("taken over");
    }
    {
      AUTO_BASE_PROFILER_LABEL("meanwhile of base", OTHER);
      AUTO_PROFILER_LABEL_DYNAMIC_CSTR("meanwhile of full", OTHER, "text");
      step = 2;
      Step("meanwhile");
      profiler_start(4 << 20, 1, 0);
      Step("started");
      profiler_shutdown();
      step = 3;
      Step("handed back");
    }
    Step("after");
    step = 4;
  }
  other.join();
  Step("closed");
  PrintWhy("save", profiler_save_profile(file));
}

// One marker with a stack by each API, and what is added under other names.
__attribute__((noinline)) void MarkWithStacks(const char* when) {
  AUTO_PROFILER_LABEL("marking", OTHER);
  PROFILER_MARKER_TEXT("stack by full", OTHER, MarkerStack::Capture(), when);
  BASE_PROFILER_MARKER_TEXT("stack by base", OTHER, MarkerStack::Capture(), when);
  auto backtrace = profiler_capture_backtrace();
  PROFILER_MARKER_TEXT("stack kept", OTHER, MarkerStack::TakeBacktrace(std::move(backtrace)), when);
  std::thread([when] {
    PROFILER_REGISTER_THREAD("Marking");
    PROFILER_MARKER_TEXT("stack on a thread", OTHER, MarkerStack::Capture(), when);
    PROFILER_UNREGISTER_THREAD();
  }).join();
  WorkUntilSampled(5);  // the sampler unwinds the first of them
}

void Markers(const char* file) {
  WorkUntilSampled(5);
  {
    AUTO_PROFILER_MARKER_TEXT("scope by full", OTHER, {}, "before to meanwhile");
    AUTO_BASE_PROFILER_MARKER_TEXT("scope by base", OTHER, {}, "before to meanwhile");
    AUTO_PROFILER_MARKER_UNTYPED("plain scope", OTHER);
    MarkWithStacks("before");
    profiler_init();
    MarkWithStacks("taken over");
  }
  profiler_start(4 << 20, 1, 0);
  {
    AUTO_PROFILER_MARKER_TEXT("scope by full", OTHER, {}, "meanwhile to after");
    AUTO_BASE_PROFILER_MARKER_TEXT("scope by base", OTHER, {}, "meanwhile to after");
    MarkWithStacks("meanwhile");
    profiler_shutdown();
    MarkWithStacks("after");
  }
  profiler_init();
  MarkWithStacks("once more");
  PrintWhy("save", profiler_save_profile(file));
}

// A category and a subcategory for each time, and all that were there before in use again.
void Categories(const char* file) {
  std::vector<geckoprof::MarkerCategory> categories;
  int same = 0;
  const auto use = [&](const char* when) {
    const std::string name = std::string("Category ") + when;
    categories.push_back(profiler_add_subcategory(profiler_add_category(name.c_str(), "magenta"), when));
    same += profiler_add_subcategory(profiler_add_category(name.c_str(), "magenta"), when) == categories.back();
    for (const auto category : categories) profiler_add_marker(when, category);
    AUTO_PROFILER_LABEL_IN("in a category", categories.front());
    AUTO_BASE_PROFILER_LABEL_IN("in the latest category", categories.back());
    WorkUntilSampled(10);
  };
  use("before");
  profiler_init();
  use("taken over");
  profiler_start(4 << 20, 1, 0);
  use("meanwhile");
  profiler_shutdown();
  use("after");
  printf("same %d\n", same);
  PrintWhy("save", profiler_save_profile(file));
}

// The name that the program gives its process, in recordings before and after it too.
void ProcessName(const char* file) {
  Print("name", profiler_set_process_name("first name"));
  profiler_init();
  WorkUntilSampled(10);
  PrintWhy("save before", profiler_save_profile((std::string(file) + ".before").c_str()));
  Print("name", profiler_set_process_name("worker \xc3\xa4\xc3\xb6 7"));
  profiler_shutdown();
  WorkUntilSampled(10);
  PrintWhy("save", profiler_save_profile(file));
}

// A pause of either kind, made by either API, across either change.
void Pauses(const char* file) {
  const auto state = [](const char* when) {
    PROFILER_MARKER_TEXT("marked", OTHER, {}, when);
    printf("%s: paused %d, sampling paused %d, base's %u\n", when, profiler_is_paused(), profiler_is_sampling_paused(),
           geckoprof_base_state());
    WorkFor(30 * kMs);
  };
  state("at first");
  geckoprof_base_pause();
  profiler_init();
  state("base's pause, taken over");
  profiler_shutdown();
  state("base's pause, handed back");
  geckoprof_base_resume();
  state("resumed by base");
  profiler_init();
  profiler_pause();
  profiler_shutdown();
  state("full's pause, handed back");
  profiler_init();
  state("full's pause, taken over again");
  profiler_resume();
  profiler_pause_sampling();
  profiler_shutdown();
  state("pause of sampling, handed back");
  profiler_init();
  state("pause of sampling, taken over again");
  profiler_start(4 << 20, 1, 0);
  state("pause of sampling, other parameters");
  profiler_resume_sampling();
  state("resumed by full");
  profiler_pause_sampling();
  profiler_shutdown();
  state("pause of sampling, handed back again");
  const int all = geckoprof_base_resume(), sampling = geckoprof_base_resume_sampling();
  printf("base resumes all: %d\nbase resumes sampling: %d\n", all, sampling);
  state("sampling resumed by base");
  geckoprof_base_pause_sampling();
  profiler_init();
  state("base's pause of sampling, taken over");
  profiler_resume_sampling();
  state("sampling resumed by full");
  PrintWhy("save", profiler_save_profile(file));
}

// Clocks and the beginning of time, at each change.
void StartTime(const char* file) {
  double first_ms = 0, apart_ms = 0;
  const auto look = [&](const char* when) {
    const double zero_ms = static_cast<double>(geckoprof_base_now()) / 1e6 - profiler_time();
    if (first_ms == 0) first_ms = zero_ms;
    apart_ms = std::max(apart_ms, std::abs(zero_ms - first_ms));
    PROFILER_MARKER_TEXT("looked", OTHER, {}, when);
    WorkFor(20 * kMs);
  };
  look("before");
  PrintWhy("save before", profiler_save_profile((std::string(file) + ".before").c_str()));
  for (int i = 0; i < 3; ++i) {
    profiler_init();
    look("taken over");
    profiler_start(4 << 20, 0.5, 0);
    look("started");
    PrintWhy("save", profiler_save_profile(file));
    profiler_shutdown();
    look("handed back");
  }
  printf("the same beginning %d\n", apart_ms < 5);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(60);
  return RunMode(argc, argv,
                 {{"counters", Counters},
                  {"labels", Labels},
                  {"markers", Markers},
                  {"categories", Categories},
                  {"process_name", ProcessName},
                  {"pauses", Pauses},
                  {"start_time", StartTime}});
}
