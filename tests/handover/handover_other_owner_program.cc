// handover_other_owner_program MODE FILE: the full library beside another owner of base's recording. Its functions run
// on the sampler thread, so it can also hold that up.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "geckoprof/handover/handover_table.h"
#include "marker_load.h"
#include "outcome_lines.h"

namespace {

using geckoprof::HandoverParameters;
using geckoprof::HandoverResult;
using geckoprof::HandoverTable;
using geckoprof::OwnerTable;

constexpr int kWatchdogSeconds = 40;
constexpr int64_t kPatienceNs = 1'000'000'000;

const HandoverTable* g_base = nullptr;

// Once on the sampler thread and once in a change of state: what it is answered there. -1: not called.
struct Answers {
  std::atomic<int> take_over{-1}, hand_back{-1}, stop{-1}, start{-1}, reconfigure{-1};
  std::atomic<bool> done{false};
};

// One that does what `tick` and `changed` say.
struct Owner {
  std::atomic<bool> asks_in_tick{false}, asks_in_change{false}, blocks{false};
  std::atomic<bool> is_blocked{false}, asks_always{false};
  Answers in_tick, in_change;

  static void Ask(Owner* owner, Answers& answers) {
    HandoverParameters none = {};
    none.size_bytes = sizeof(none);
    const OwnerTable another = owner->table();
    answers.take_over = g_base->take_over(&another, kPatienceNs);
    answers.hand_back = g_base->hand_back(&owner->own, kPatienceNs);
    answers.reconfigure = g_base->reconfigure(&none);
    answers.start = g_base->start(&none);
    answers.stop = g_base->stop();
    answers.done = true;
  }
  // On the sampler thread, which is unknown to libc.
  static void Tick(void* context, int64_t, uint32_t) {
    auto* const owner = static_cast<Owner*>(context);
    if (owner->asks_in_tick.exchange(false)) Ask(owner, owner->in_tick);
    if (owner->asks_always) {
      Ask(owner, owner->in_tick);
      g_base->set_paused(geckoprof::kStatePaused);
      g_base->visit_parameters([](void*, const HandoverParameters*) {}, nullptr);
    }
    while (owner->blocks) owner->is_blocked = true;
    owner->is_blocked = false;
  }
  static void Changed(void* context, uint32_t) {
    auto* const owner = static_cast<Owner*>(context);
    if (owner->asks_in_change.exchange(false)) Ask(owner, owner->in_change);
  }
  OwnerTable table() { return {sizeof(OwnerTable), geckoprof::kHandoverVersion, this, &Owner::Tick, &Owner::Changed}; }
  const OwnerTable own = table();
};

Owner g_owner;

void PrintAnswers(const char* where, const Answers& answers) {
  printf("%s: take over %d, hand back %d, reconfigure %d, start %d, stop %d\n", where, answers.take_over.load(),
         answers.hand_back.load(), answers.reconfigure.load(), answers.start.load(), answers.stop.load());
  fflush(stdout);
}

void AwaitTrue(const std::atomic<bool>& done) {
  while (!done) usleep(1000);
}

// The other one's functions ask base what they must not.
void FromItsCallbacks(const char* file) {
  printf("take over %d\n", g_base->take_over(&g_owner.own, kPatienceNs));
  g_owner.asks_in_tick = true;
  AwaitTrue(g_owner.in_tick.done);
  PrintAnswers("in tick", g_owner.in_tick);
  printf("state %u\n", g_base->state());
  g_owner.asks_in_change = true;
  geckoprof_base_pause();
  AwaitTrue(g_owner.in_change.done);
  PrintAnswers("in change", g_owner.in_change);
  // Meanwhile others hold the locks and wait for the sampler.
  g_owner.asks_always = true;
  for (int i = 0; i < 100; ++i) {
    const OwnerTable another = g_owner.table();
    g_base->take_over(&another, kPatienceNs);
    geckoprof_base_stop();
    geckoprof_base_start(1 << 20, 50'000, 0, nullptr, 0, 0);
  }
  g_owner.asks_always = false;
  printf("asked all the while\n");
  printf("hand back %d\n", g_base->hand_back(&g_owner.own, kPatienceNs));
  PrintWhy("start", profiler_start(1 << 20, 1, 0).outcome);
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

// Nobody takes over from another owner, and nothing of what it has is lost.
void Owned(const char* file) {
  printf("take over %d\n", g_base->take_over(&g_owner.own, kPatienceNs));
  PrintWhy("init", profiler_init());
  PrintWhy("start", profiler_start(1 << 20, 1, 0).outcome);
  PrintWhy("shutdown", profiler_shutdown());
  PrintWhy("stop", profiler_stop());
  PrintWhy("pause", profiler_pause());
  PrintWhy("name", profiler_set_process_name("not ours"));
  printf("callback %d\n", profiler_callback_after_sampling([](SamplingState) {}));
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
  printf("hand back %d\n", g_base->hand_back(&g_owner.own, kPatienceNs));
  PrintWhy("init", profiler_init());
}

// The sampler does not come to the end of its tick.
void Timeout(const char* file) {
  printf("take over %d\n", g_base->take_over(&g_owner.own, kPatienceNs));
  g_owner.blocks = true;
  AwaitTrue(g_owner.is_blocked);
  printf("hand back %d\n", g_base->hand_back(&g_owner.own, 20 * kMs));
  const int64_t begin_ns = geckoprof_base_now();
  std::thread taker([] { PrintWhy("init", profiler_init()); });
  usleep(200'000);
  const int64_t shutdown_ns = geckoprof_base_now();
  PrintWhy("shutdown meanwhile", profiler_shutdown());
  printf("shutdown waited %d\n", geckoprof_base_now() - shutdown_ns > 500 * kMs);
  taker.join();
  printf("init gave up in time %d\n", geckoprof_base_now() - begin_ns < 10'000 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("meanwhile", OTHER);
  g_owner.blocks = false;
  printf("hand back %d\n", g_base->hand_back(&g_owner.own, kPatienceNs));
  PrintWhy("init", profiler_init());
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

// A second copy of the full library, whose file is FILE.copy: its own functions, and its own idea of the recording.
void TwoCopies(const char* file) {
  PrintWhy("init", profiler_init());
  void* const copy = dlopen(("./" + std::string(file) + ".copy").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (copy == nullptr) {
    printf("%s\n", dlerror());
    return;
  }
  const auto find = [copy](auto* own, const char* name) {
    const auto found = reinterpret_cast<decltype(own)>(dlsym(copy, name));
    if (found == nullptr || found == own) printf("%s is not the copy's\n", name);
    return found;
  };
#define COPYS(function) find(&geckoprof_##function, "geckoprof_" #function)
  const auto init = COPYS(init);
  const auto save = find(&profiler_save_profile_to_file, "profiler_save_profile_to_file");
  const auto print = [](const char* what, int status) { printf("%s: %s\n", what, geckoprof_status_text(status)); };
  print("copy's init", init());
  print("copy's start", COPYS(start)(nullptr, nullptr));
  print("copy's shutdown", COPYS(shutdown)());
  print("copy's pause", COPYS(pause)());
  print("copy's resume", COPYS(resume)());
  print("copy's pause_sampling", COPYS(pause_sampling)());
  print("copy's resume_sampling", COPYS(resume_sampling)());
  print("copy's stop", COPYS(stop)());
  print("copy's name", COPYS(set_process_name)("not ours"));
  WorkUntilSampled();
  printf("copy's save %d\n", save(file));
  PrintWhy("pause", profiler_pause());
  PrintWhy("resume", profiler_resume());
  PrintWhy("shutdown", profiler_shutdown());
  print("copy's init", init());
  PrintWhy("init", profiler_init());
  dlclose(copy);  // hands back
  PrintWhy("init", profiler_init());
  WorkUntilSampled();
  PrintWhy("save", profiler_save_profile(file));
}

}  // namespace

int main(int argc, char** argv) {
  alarm(kWatchdogSeconds);
  const auto get =
      reinterpret_cast<geckoprof::HandoverTableFunction*>(dlsym(RTLD_DEFAULT, geckoprof::kHandoverTableFunction));
  g_base = get != nullptr ? get() : nullptr;
  if (g_base == nullptr) return 3;
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  return RunMode(
      argc, argv,
      {{"from_its_callbacks", FromItsCallbacks}, {"owned", Owned}, {"timeout", Timeout}, {"two_copies", TwoCopies}});
}
