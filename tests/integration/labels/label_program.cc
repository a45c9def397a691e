// label_program MODE [PLUGIN]: opens labels in all ways. What is to be seen of it is said in label_profile.py, which
// reads the profiles.
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "baseprofiler/base_profiler.h"

extern "C" int CallFromLibrary(int (*function)(), const char* text);

namespace {

namespace base = geckoprof::baseprofiler;
constexpr int64_t kMs = 1'000'000;
std::atomic<uint64_t> g_sum{0};

int64_t CpuNs() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

// Of the thread's own time, which samples go by, however busy the machine is.
__attribute__((noinline)) void WorkFor(int64_t ns) {
  uint64_t sum = 1;
  for (const int64_t end = CpuNs() + ns; CpuNs() < end;) {
    for (int i = 0; i < 1000; ++i) sum = sum * 6364136223846793005u + 1;
  }
  g_sum.fetch_add(sum, std::memory_order_relaxed);
}

// --- order: labels among the compiler's own frames ---

__attribute__((noinline)) int Leaf() {
  AUTO_PROFILER_LABEL("label leaf", OTHER);
  WorkFor(150 * kMs);
  for (int i = 0; i < 30; ++i) usleep(25000);  // read from outside
  return static_cast<int>(g_sum.fetch_add(1) & 1);
}

inline __attribute__((always_inline)) int Inlined(const char* text) {
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("label inlined", GRAPHICS, text);
  return CallFromLibrary(&Leaf, "of the library") + static_cast<int>(g_sum.fetch_add(1) & 1);
}

__attribute__((noinline)) int Middle(const char* text) {
  AUTO_PROFILER_LABEL("label middle", STORAGE);
  const int result = Inlined(text);
  g_sum.fetch_add(1);
  return result;
}

__attribute__((noinline)) int Recurse(int levels) {
  const geckoprof::ProfilerLabelContext context;
  AUTO_PROFILER_LABEL_DYNAMIC_STRING("label recurse", OTHER, std::to_string(levels));
  AUTO_PROFILER_LABEL_FAST("label fast", OTHER, context);
  const int result = levels > 1 ? Recurse(levels - 1) : Middle("text of the moment");
  g_sum.fetch_add(1);
  return result;
}

// --- categories of the program's own ---

void InCategory(const char* label, base::Category category) {
  AUTO_PROFILER_LABEL_IN(label, category);
  WorkFor(40 * kMs);
  profiler_add_marker(std::string("marker of ") + label, category);
}

void Categories() {
  const auto physics = profiler_add_category("Physics", "magenta");
  const auto collisions = profiler_add_subcategory(physics, "Collisions");
  const auto shadows = profiler_add_subcategory(base::Category::GRAPHICS, "Shadows");
  geckoprof::CategoryResult result{};
  const auto refused = profiler_add_category("Ink", "ink", &result);
  std::printf("%d\n", static_cast<int>(result));
  InCategory("label physics", physics);
  InCategory("label collisions", collisions);
  InCategory("label shadows", shadows);
  InCategory("label refused", refused);
  InCategory("label unknown", static_cast<base::Category>(400 << 8));
  InCategory("label layers", base::Category::GRAPHICS_LayerBuilding);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    // In another order than the parent will have them.
    const auto fluids = profiler_add_subcategory(physics, "Fluids");
    InCategory("label fluids", fluids);
    InCategory("label child", profiler_add_category("Child", "green"));
    InCategory("label collisions in the child", collisions);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  InCategory("label sparks", profiler_add_subcategory(physics, "Sparks"));
}

void CategoriesAgain() {
  const auto physics = profiler_add_category("Physics", "magenta");
  InCategory("label first", physics);
  base::profiler_stop();
  geckoprof_base_set_process_name("named between");
  base::profiler_start(8 << 20, 1);
  InCategory("label second", physics);
}

// --- what goes wrong ---

int Nothing() { return 0; }

__attribute__((noinline)) int Nest(int levels) {
  AUTO_PROFILER_LABEL("label nested", OTHER);
  if (levels == 1) WorkFor(150 * kMs);  // the first of all: a busy machine takes a while to begin sampling
  return levels > 1 ? Nest(levels - 1) + 1 : 0;
}

// So deep that what was left behind would lie above the stack pointer again.
__attribute__((noinline)) void Deep(int levels) {
  volatile char room[4096];
  room[0] = static_cast<char>(levels);
  if (levels > 1) {
    Deep(levels - 1);
  } else {
    WorkFor(60 * kMs);
  }
  g_sum.fetch_add(static_cast<uint64_t>(room[0]));
}

jmp_buf g_back;

__attribute__((noinline)) void WorkAndJump() {
  AUTO_PROFILER_LABEL("label left first", OTHER);
  AUTO_PROFILER_LABEL("label left second", OTHER);
  WorkFor(15 * kMs);
  longjmp(g_back, 1);
}

// Deeper than the work that follows.
__attribute__((noinline)) void LabelDeepAndJump() {
  volatile char room[65536];
  room[0] = 1;
  AUTO_PROFILER_LABEL("label stale", OTHER);
  longjmp(g_back, room[0]);
}

sigjmp_buf g_back_from_handler;

void JumpFromHandler(int) {
  AUTO_PROFILER_LABEL("label of the alternate stack", OTHER);
  siglongjmp(g_back_from_handler, 1);
}

// A thread of its own: the stack for signals is a thread's.
void LeaveAlternateStack() {
  static char room[64 * 1024];
  const stack_t alternate = {room, 0, sizeof(room)};
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = &JumpFromHandler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
  {
    AUTO_PROFILER_LABEL("label around the alternate stack", OTHER);
    if (sigsetjmp(g_back_from_handler, 1) == 0) raise(SIGUSR2);
  }
  AUTO_PROFILER_LABEL("label after the alternate stack", OTHER);
  WorkFor(40 * kMs);
  for (int i = 0; i < 4; ++i) usleep(25000);  // read from outside
}

void Plugin(const char* path) {
  for (static int i = 0; i < 2; ++i) {
    static void* plugin;
    plugin = dlopen(path, RTLD_NOW);
    if (plugin == nullptr) _exit(3);
    const auto call = reinterpret_cast<int (*)(int (*)(), const char*)>(dlsym(plugin, "CallFromLibrary"));
    const auto jump = reinterpret_cast<void (*)(jmp_buf)>(dlsym(plugin, "JumpFromLibrary"));
    call([] { return WorkFor(20 * kMs), 0; }, "of the plugin");
    if (setjmp(g_back) == 0) jump(g_back);
    dlclose(plugin);
    if (dlopen(path, RTLD_NOW | RTLD_NOLOAD) != nullptr) _exit(4);
    Deep(10);
  }
  AUTO_PROFILER_LABEL("label after the plugin", OTHER);
  Deep(10);
}

void InHandler(int) {
  AUTO_PROFILER_LABEL("label handler", OTHER);
  WorkFor(kMs);
}

struct Late {
  ~Late() {
    AUTO_PROFILER_LABEL("label late", OTHER);
    WorkFor(60 * kMs);
  }
};

void BadPlaces() {
  Nest(300);
  struct sigaction action = {};
  action.sa_handler = &InHandler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  // Few system calls: a request that is on its way to another core is met at the next one's end.
  for (const int64_t end = CpuNs() + 150 * kMs; CpuNs() < end;) {
    for (int i = 0; i < 100'000; ++i) {
      AUTO_PROFILER_LABEL("label interrupted", OTHER);
      g_sum.fetch_add(1, std::memory_order_relaxed);
    }
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  // Three jumps over open labels, then work: none of them is open any more.
  for (static int i = 0; i < 3; ++i) {
    if (setjmp(g_back) == 0) {
      geckoprof_label_stack* const own = geckoprof_base_own_labels();
      [](geckoprof_label_stack * stack) __attribute__((noinline)) {
        geckoprof_base_label_push(stack, "label jumped over", nullptr, 0x100);
        longjmp(g_back, 1);
      }
      (own);
    }
  }
  {
    AUTO_PROFILER_LABEL("label after the jump", OTHER);
    Deep(10);
  }
  for (static int i = 0; i < 10; ++i) {
    AUTO_PROFILER_LABEL("label of the round", OTHER);
    if (setjmp(g_back) == 0) WorkAndJump();
  }
  {
    AUTO_PROFILER_LABEL("label before the stale one", OTHER);
    if (setjmp(g_back) == 0) LabelDeepAndJump();
    WorkFor(40 * kMs);
    for (int i = 0; i < 4; ++i) usleep(25000);  // read from outside
  }
  std::thread(&LeaveAlternateStack).join();
  std::thread([] {
    static thread_local Late late;
    g_sum.fetch_add(reinterpret_cast<uintptr_t>(&late) & 1);
  }).join();
  const pid_t child = fork();
  if (child == 0) {
    AUTO_PROFILER_LABEL("label child", OTHER);
    WorkFor(50 * kMs);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  base::profiler_pause();
  AUTO_PROFILER_LABEL_HOT("label opened while paused", OTHER);
  base::profiler_resume();
  WorkFor(30 * kMs);
  std::printf("%d\n", Nothing());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "order") Recurse(4);
  if (mode == "categories") Categories();
  if (mode == "categories-again") CategoriesAgain();
  if (mode == "plugin" && argc > 2) Plugin(argv[2]);
  if (mode == "bad-places") BadPlaces();
  return 0;
}
