// marker_stack_program MODE [PLUGIN]: markers with stacks. What they must look like is said in marker_stack_profile.py.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "baseprofiler/base_profiler.h"

using namespace geckoprof;  // NOLINT: as a user of the macros would

// A stack of the program's own making, as profiler_backtrace.h's.
struct Backtrace {
  struct Frame {
    uint64_t address;
    uint32_t category_pair;
    std::string_view label;
  };
  explicit Backtrace(int* destroyed_in) : destroyed(destroyed_in) {}
  ~Backtrace() { ++*destroyed; }
  size_t size() const { return 3; }
  Frame frame(size_t index) const;
  int* const destroyed;
};

// Functions that the compiler keeps apart, each with something to do after its call.
#define APART extern "C" __attribute__((noinline, visibility("default")))

APART void chain_leaf(const char* name) {
  PROFILER_MARKER_TEXT(name, OTHER, MarkerStack::Capture(), "at the leaf");
  asm volatile("" ::: "memory");
}
APART void chain_middle(const char* name) {
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("middle label", GRAPHICS, "of the moment");
  chain_leaf(name);
  asm volatile("" ::: "memory");
}
APART void chain_outer(const char* name) {
  chain_middle(name);
  asm volatile("" ::: "memory");
}
APART void labels_only() {
  AUTO_BASE_PROFILER_LABEL("outer label", OTHER);
  PROFILER_MARKER_UNTYPED("labels only", OTHER, MarkerStack::Capture(StackCaptureOptions::NonNative));
}

Backtrace::Frame Backtrace::frame(size_t index) const {
  if (index == 1) return {0, 0x400, "a stored label"};
  return {reinterpret_cast<uint64_t>(index == 0 ? &chain_outer : &chain_middle) + 1, 0, {}};
}

namespace {

void WaitForSampler() { usleep(20'000); }

// The first is unwound by the sampler, who learns; the later ones by the thread itself.
void Chain() {
  for (int i = 0; i < 5; ++i) {
    chain_outer("chain");
    WaitForSampler();
  }
  labels_only();
  PROFILER_MARKER_UNTYPED("no stack", OTHER, MarkerStack::NoStack());
  PROFILER_MARKER_UNTYPED("maybe", OTHER, MarkerStack::MaybeCapture(false));
  PROFILER_MARKER_UNTYPED("by itself", OTHER, MarkerStack::Capture());
  profiler_add_marker("of a function", MarkerCategory::OTHER, MarkerStack::Capture());
  { AUTO_PROFILER_MARKER_TEXT("automatic", OTHER, MarkerStack::Capture(), "t"); }
  int destroyed = 0;
  const Backtrace kept(&destroyed);
  PROFILER_MARKER_UNTYPED("stored", OTHER, MarkerStack::UseBacktrace(kept));
  PROFILER_MARKER_UNTYPED("taken", OTHER, MarkerStack::TakeBacktrace(std::make_unique<Backtrace>(&destroyed)));
  {
    AUTO_PROFILER_MARKER_TEXT("taken for later", OTHER,
                              MarkerStack::TakeBacktrace(std::make_unique<Backtrace>(&destroyed)), "t");
  }
  {
    AUTO_PROFILER_MARKER_TEXT("taken from a temporary", OTHER,
                              MarkerStack::UseBacktrace(*std::make_unique<Backtrace>(&destroyed)), "t");
  }
  PROFILER_MARKER_UNTYPED("taken from nobody", OTHER, MarkerStack::TakeBacktrace(std::unique_ptr<Backtrace>()));
  if (destroyed != 4) printf("%d backtraces were destroyed\n", destroyed);
}

void Threads() {
  std::thread threads[4];
  for (std::thread& thread : threads) {
    thread = std::thread([] {
      for (int i = 0; i < 50; ++i) {
        chain_outer("on a thread");
        usleep(1000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void OnSignal(int) { chain_outer("in a handler"); }

void Handler() {
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  WaitForSampler();
  raise(SIGUSR1);
}

// On pages that nobody told us of, and before any sample has met the code there.
void Coroutine() {
  AUTO_BASE_PROFILER_LABEL("label of the thread", OTHER);
  alignas(4096) static char stack[64 * 1024];
  static ucontext_t main_context, context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof(stack);
  context.uc_link = &main_context;
  makecontext(
      &context,
      [] {
        for (int i = 0; i < 4; ++i) {
          chain_outer("on a coroutine");
          WaitForSampler();
        }
      },
      0);
  swapcontext(&main_context, &context);
}

// What a library's address meant is another's later.
void Plugins(const char* path) {
  for (int i = 0; i < 12; ++i) {
    void* const plugin = dlopen(path, RTLD_NOW);
    if (plugin == nullptr) puts(dlerror());
    const auto run = reinterpret_cast<void (*)(void (*)(const char*))>(dlsym(plugin, "CallFromPlugin"));
    *static_cast<void (**)(const char*)>(dlsym(plugin, "call_at_end")) = &chain_outer;
    run(&chain_outer);
    if (i % 2 == 0) WaitForSampler();
    run(&chain_outer);
    dlclose(plugin);
  }
}

void Fork() {
  chain_outer("before the fork");
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    usleep(50'000);
    for (int i = 0; i < 3; ++i) {
      chain_outer("in the child");
      WaitForSampler();
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  chain_outer("after the fork");
}

// More at once, from places that nobody knows yet, than there is room for.
template <int kPlace>
__attribute__((noinline)) void FromManyPlaces() {
  PROFILER_MARKER_UNTYPED("burst", OTHER, MarkerStack::Capture());
  if constexpr (kPlace > 0) FromManyPlaces<kPlace - 1>();
  asm volatile("" ::: "memory");
}

}  // namespace

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  WaitForSampler();
  if (strcmp(mode, "chain") == 0) Chain();
  if (strcmp(mode, "threads") == 0) Threads();
  if (strcmp(mode, "handler") == 0) Handler();
  if (strcmp(mode, "coroutine") == 0) Coroutine();
  if (strcmp(mode, "plugin") == 0) Plugins(argv[2]);
  if (strcmp(mode, "fork") == 0) Fork();
  if (strcmp(mode, "burst") == 0) FromManyPlaces<60>();
  WaitForSampler();
  return 0;
}
