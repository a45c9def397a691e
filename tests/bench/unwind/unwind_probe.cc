// Preloaded into a program: a thread of the probe's asks the main thread for its stack every millisecond, as a profiler
// does. UNWIND_PROBE=ours: the handler copies registers and stack, and the probe's thread unwinds the copy with
// Unwinder. UNWIND_PROBE=theirs: the handler calls glibc's backtrace(), which knows no other place. Both begin with
// nothing known, so the sum mixes cold and warm; never both in one process, where the one would find pages and caches
// that the other filled.
//
// When the program ends, "frames ns" go to the file named by UNWIND_PROBE_OUT. Cost is CPU time of the thread that
// unwinds: time that other processes took counts on neither side.
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "geckoprof/arch/signal_frame.h"
#include "geckoprof/unwind/unwinder.h"

extern "C" void* __libc_stack_end;  // NOLINT: the loader's name

namespace {

using namespace geckoprof;

constexpr size_t kFrames = 512;
constexpr size_t kMostStackBytes = size_t{8} << 20;
constexpr long kIntervalNs = 1'000'000;

// The signal handler's side: written while the probe's thread waits for `done`.
struct Request {
  std::atomic<bool> done{true};
  bool ours = false;
  Registers registers;
  uint8_t* stack = nullptr;
  size_t stack_bytes = 0;
};

Request g_request;
std::atomic<bool> g_stop{false};
pthread_t g_thread;
std::atomic<uint64_t> g_frames{0}, g_ns{0};

template <typename Unwind>
void AddCost(const Unwind& unwind) {
  const auto now_ns = [] {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  };
  const uint64_t begin_ns = now_ns();
  const size_t frames = unwind();
  g_ns += now_ns() - begin_ns;
  g_frames += frames;
}

void OnSignal(int, siginfo_t*, void* context) {
  static void* frames[kFrames];
  Request& request = g_request;
  if (request.ours) {
    CopyUcontextRegisters(*static_cast<const ucontext_t*>(context), request.registers.values);
    request.registers.known = Registers::kAllKnown;
    const uint64_t low = request.registers.sp();
    const uint64_t high = reinterpret_cast<uint64_t>(__libc_stack_end);
    request.stack_bytes = low < high && high - low <= kMostStackBytes ? high - low : 0;
    std::memcpy(request.stack, reinterpret_cast<const void*>(low), request.stack_bytes);
  } else {
    AddCost([] { return static_cast<size_t>(backtrace(frames, kFrames)); });
  }
  request.done.store(true, std::memory_order_release);
}

void* AskAndUnwind(void*) {
  std::ifstream file("/proc/self/maps");
  ModuleTable modules;
  modules.Refresh(std::string(std::istreambuf_iterator<char>(file), {}), 0);
  Unwinder unwinder(modules);
  std::vector<UnwoundFrame> frames(kFrames);
  Request& request = g_request;
  while (!g_stop) {
    timespec pause{0, kIntervalNs};
    nanosleep(&pause, nullptr);
    request.done.store(false, std::memory_order_relaxed);
    kill(getpid(), SIGPROF);  // this thread blocks it, so it is the main thread's while there are no others
    while (!request.done.load(std::memory_order_acquire) && !g_stop) {
      timespec moment{0, 50'000};
      nanosleep(&moment, nullptr);
    }
    if (!request.ours || request.stack_bytes == 0) continue;
    const StackView view{request.stack, request.registers.sp(), request.stack_bytes};
    AddCost([&] {
      const size_t frame_count = unwinder.Unwind(request.registers, view, frames).frame_count;
      modules.CloseFiles();  // as the sampler does at the end of a tick
      return frame_count;
    });
  }
  return nullptr;
}

__attribute__((constructor)) void Begin() {
  void* frame;
  backtrace(&frame, 1);  // loads libgcc now, not in the handler
  const char* who = std::getenv("UNWIND_PROBE");
  g_request.ours = who != nullptr && std::strcmp(who, "ours") == 0;
  g_request.stack = static_cast<uint8_t*>(std::malloc(kMostStackBytes));
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGPROF, &action, nullptr);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_create(&g_thread, nullptr, AskAndUnwind, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

__attribute__((destructor)) void End() {
  g_stop = true;
  pthread_join(g_thread, nullptr);
  const char* path = std::getenv("UNWIND_PROBE_OUT");
  FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%lu %lu\n", g_frames.load(), g_ns.load());
  std::fclose(file);
}

}  // namespace
