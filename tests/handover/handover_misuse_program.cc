// handover_misuse_program MODE FILE: calls where none is expected: from callbacks, handlers of signals, children of
// forks, and while another one is under way. FILE: where the full library saves the profile.
//
// Each mode ends by an alarm if a call does not come back.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "marker_load.h"
#include "outcome_lines.h"

namespace {

using geckoprof::ProfilerStatus;

constexpr int kWatchdogSeconds = 40;

void AwaitTrue(const std::atomic<bool>& done) {
  while (!done) usleep(1000);
}

// A thread that takes over and hands back is interrupted by a handler that forks, while another one forks plainly: each
// holds what the other waits for, unless there is an order.
std::atomic<int> g_handler_forks{0};
void ForkInHandler(int) {
  const int saved_errno = errno;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  ++g_handler_forks;
  errno = saved_errno;
}

void HandlerForks(const char* file) {
  struct sigaction action = {};
  action.sa_handler = ForkInHandler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  profiler_add_state_change_callback(
      ProfilingState::Pausing, [](ProfilingState) { printf("told\n"); }, 7);
  profiler_init();
  std::atomic<bool> ends{false};
  std::thread changer([&] {
    while (!ends) {
      profiler_shutdown();
      profiler_init();
    }
  });
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // The changer has as much time between two signals as its handler took, or it would not get on with what it holds.
  std::thread signaller([&] {
    while (!ends) {
      const int before = g_handler_forks;
      const auto begin = std::chrono::steady_clock::now();
      pthread_kill(changer.native_handle(), SIGUSR1);
      while (!ends && g_handler_forks == before) usleep(200);
      std::this_thread::sleep_for(std::chrono::steady_clock::now() - begin + std::chrono::milliseconds(1));
    }
  });
  int plain_forks = 0, good = 0;
  while (g_handler_forks < 12 || plain_forks < 12) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const ProfilerStatus status = profiler_init().status;
      _exit(status == ProfilerStatus::kDone || status == ProfilerStatus::kUnchanged ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    good += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    ++plain_forks;
  }
  ends = true;
  signaller.join();
  changer.join();
  printf("children that are not fine %d\n", plain_forks - good);
  Print("start", profiler_start(0, 1, 0).outcome);
  WorkUntilSampled();
  Print("pause", profiler_pause());
  PrintWhy("save", profiler_save_profile(file));
}

// Everything that changes something, from the thread on which functions after sampling are called.
void AfterSampling(const char* file) {
  profiler_init();
  const auto in_callback = [](const char* what, auto call) {
    std::atomic<bool> done{false};
    const bool added = profiler_callback_after_sampling([&](SamplingState) {
      call(what);
      done = true;
    });
    if (!added) printf("%s: not called\n", what);
    if (added) AwaitTrue(done);
  };
  in_callback("init", [](const char* what) { Print(what, profiler_init()); });
  in_callback("shutdown", [](const char* what) { Print(what, profiler_shutdown()); });
  in_callback("pause", [](const char* what) { Print(what, profiler_pause()); });
  in_callback("resume", [](const char* what) { Print(what, profiler_resume()); });
  in_callback("start", [](const char* what) { Print(what, profiler_start(1 << 20, 1, 0).outcome); });
  in_callback("stop", [](const char* what) { Print(what, profiler_stop()); });
  Print("start anew", profiler_start(1 << 20, 1, 0).outcome);
  in_callback("another", [](const char* what) {
    // A function that waits for another one's would wait for itself: it is only asked for here.
    printf("%s %d\n", what, profiler_callback_after_sampling([](SamplingState) {}));
  });
  in_callback("base's stop", [](const char* what) { printf("%s %d\n", what, geckoprof_base_stop()); });
  printf("active %d\n", profiler_is_active());
  Print("start at last", profiler_start(1 << 20, 1, 0).outcome);
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
  Print("shutdown at last", profiler_shutdown());
}

// How deep a listener's calls went that called what it listens to.
int g_depth = 0, g_deepest = 0;
constexpr int kTooDeep = 20;

// Listens to `heard` and then calls `call`, which causes it, without looking where it is. `cause`: the first such call.
template <typename Call, typename Cause>
void ListenAndCall(const char* what, ProfilingState heard, Call call, Cause cause) {
  g_deepest = 0;
  profiler_add_state_change_callback(
      ProfilingStateSet(heard),
      [&](ProfilingState) {
        g_deepest = std::max(g_deepest, ++g_depth);
        if (g_depth < kTooDeep) call();
        --g_depth;
      },
      1);
  cause();
  profiler_remove_state_change_callback(1);
  printf("%s: %s, active %d\n", what, g_deepest < kTooDeep ? "ended" : "no end", profiler_is_active());
  fflush(stdout);
}

void StateCallbacks(const char* file) {
  const auto init = [] { profiler_init(); };
  const auto start = [] { profiler_start(1 << 20, 1, 0); };
  const auto stop = [] { profiler_stop(); };
  const auto pause = [] { profiler_pause(); };
  const auto resume = [] { profiler_resume(); };
  const auto shutdown = [] { profiler_shutdown(); };
  init();
  ListenAndCall("pause in Pausing", ProfilingState::Pausing, pause, pause);
  ListenAndCall("pause in Resumed", ProfilingState::Resumed, pause, resume);
  ListenAndCall("resume in Pausing", ProfilingState::Pausing, resume, pause);
  resume();
  ListenAndCall("shutdown in Pausing", ProfilingState::Pausing, shutdown, pause);
  resume();
  ListenAndCall("stop in Stopping", ProfilingState::Stopping, stop, stop);
  ListenAndCall("start in Stopping", ProfilingState::Stopping, start, stop);
  start();
  ListenAndCall("shutdown in ShuttingDown", ProfilingState::ShuttingDown, shutdown, shutdown);
  init();
  ListenAndCall("stop in ShuttingDown", ProfilingState::ShuttingDown, stop, shutdown);
  start();
  ListenAndCall("init in ShuttingDown", ProfilingState::ShuttingDown, init, shutdown);
  init();
  ListenAndCall("stop in Started", ProfilingState::Started, stop, start);
  start();
  ListenAndCall("shutdown in GeneratingProfile", ProfilingState::GeneratingProfile, shutdown,
                [&] { Print("save while shutting down", profiler_save_profile(file)); });
  start();
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
}

// How often each answer came.
class Tally {
 public:
  void Add(const geckoprof::ProfilerOutcome& outcome) { ++counts_[static_cast<size_t>(outcome.status)]; }
  void Print(const char* what) const {
    for (size_t i = 0; i < std::size(counts_); ++i) {
      if (counts_[i] > 0) printf("%s: %d %s\n", what, counts_[i].load(), ToText(static_cast<ProfilerStatus>(i)));
    }
  }

 private:
  std::atomic<int> counts_[32] = {};
};

// A handler takes over and hands back, in the middle of whatever its thread does: mostly the same.
Tally g_in_handler;
void SignalHandler(const char* file) {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    g_in_handler.Add(profiler_init());
    g_in_handler.Add(profiler_shutdown());
    g_in_handler.Add(profiler_pause_sampling());
    g_in_handler.Add(profiler_resume_sampling());
  };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  g_in_handler.Print("quiet");
  std::atomic<bool> ends{false};
  std::thread sender([&, target = pthread_self()] {
    while (!ends) {
      pthread_kill(target, SIGUSR1);
      usleep(700);
    }
  });
  int done = 0;
  for (const int64_t end_ns = geckoprof_base_now() + 1000 * kMs; geckoprof_base_now() < end_ns; ++done) {
    profiler_init();
    profiler_shutdown();
  }
  ends = true;
  sender.join();
  printf("handled %d\n", done > 10);
  g_in_handler.Print("handler");
  Print("init", profiler_init());
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
}

// Threads that do everything at a time. What was promised a call is called.
void Racing(const char* file) {
  std::atomic<bool> ends{false};
  std::atomic<int> promised{0}, called{0};
  std::vector<std::thread> threads;
  const auto again_and_again = [&](auto call) {
    threads.emplace_back([&ends, call] {
      while (!ends) call();
    });
  };
  for (int i = 0; i < 2; ++i) {
    again_and_again([&] {
      profiler_init();
      promised += profiler_callback_after_sampling([&](SamplingState) { ++called; }) ? 1 : 0;
      profiler_shutdown();
    });
  }
  again_and_again([] {
    profiler_shutdown();
    usleep(300);
  });
  again_and_again([] {
    profiler_start(1 << 20, 1, 0);
    usleep(3000);
    profiler_stop();
  });
  again_and_again([] {
    profiler_pause();
    profiler_resume();
    geckoprof_base_pause();
    geckoprof_base_resume();
  });
  WorkFor(1500 * kMs);
  ends = true;
  for (std::thread& thread : threads) thread.join();
  Print("start", profiler_start(1 << 20, 1, 0).outcome);
  profiler_resume();
  for (int i = 0; i < 3000 && called < promised; ++i) usleep(1000);
  printf("promised some %d, not called %d\n", promised > 10, promised - called);
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
}

// In the child of a fork: its own recording, from start to profile. In that of a _Fork, which tells no library, and in
// that of a vfork, which runs in its parent's memory: an answer, and nothing that the parent feels.
void Children(const char* file) {
  profiler_init();
  printf("children\n");
  fflush(stdout);
  const auto await = [](const char* what, pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "status" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  };
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    const auto started = profiler_start(1 << 20, 1, 0);
    WorkUntilSampled();
    const auto saved = profiler_save_profile((std::string(file) + ".child").c_str());
    const auto ended = profiler_shutdown();
    _exit(started && saved && ended ? 0 : 1);
  }
  await("fork", child);
  child = _Fork();
  if (child == 0) {
    alarm(10);
    const bool refused = !profiler_start(1 << 20, 1, 0);
    profiler_stop();
    profiler_shutdown();
    _exit(refused ? 0 : 1);
  }
  await("_Fork", child);
  profiler_shutdown();
  child = vfork();
  if (child == 0) _exit(static_cast<int>(profiler_init().status));
  await("vfork", child);
  Print("init", profiler_init());
  child = vfork();
  if (child == 0) _exit(static_cast<int>(profiler_pause().status) + static_cast<int>(profiler_stop().status));
  await("vfork, pause and stop", child);
  printf("active and unpaused %d\n", profiler_is_active_and_unpaused());
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
}

// What is forked before anything is recorded is a process as any other: by base's API alone, and by the full library's.
void ForkedIdle(const char* file) {
  AUTO_BASE_PROFILER_LABEL("open in the parent", OTHER);
  fflush(stdout);
  for (const bool full : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      AUTO_BASE_PROFILER_LABEL("open in the child", OTHER);
      const int started = full ? 0 : geckoprof_base_start(1 << 20, kMs, 0, nullptr, 0, 0);
      const bool has_full = static_cast<bool>(profiler_init());
      const bool is_new = !full || profiler_start(1 << 20, 1, 0);
      WorkUntilSampled();
      const bool saved =
          static_cast<bool>(profiler_save_profile((std::string(file) + (full ? ".full" : ".base")).c_str()));
      _exit(started == 0 && has_full && is_new && saved ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("%s: status %d\n", full ? "full" : "base", status);
  }
  Print("start", profiler_start(1 << 20, 1, 0).outcome);
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
}

// main returns, and exit calls the library's end, while threads take over and hand back.
void ExitMeanwhile(const char* file) {
  std::atomic<int> rounds{0};
  static std::atomic<int>& all = rounds;
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      for (;;) {
        profiler_init();
        profiler_shutdown();
        ++all;
      }
    }).detach();
  }
  while (rounds < 50) usleep(1000);
  Print("save", profiler_save_profile(file));
  exit(0);
}

// main ends by pthread_exit, and then another thread: the process ends with its last thread, not with ours.
void MainExits(const char* file) {
  profiler_init();
  profiler_add_state_change_callback(ProfilingStateSet::AllStates(), [](ProfilingState) {});
  profiler_callback_after_sampling([](SamplingState) {});
  WorkUntilSampled();
  Print("save", profiler_save_profile(file));
  std::thread([] { usleep(100'000); }).detach();
  fflush(stdout);
  pthread_exit(nullptr);
}

// Without exit handlers but those for it.
void QuickExit(const char*) { quick_exit(0); }

}  // namespace

int main(int argc, char** argv) {
  alarm(kWatchdogSeconds);
  WorkFor(20 * kMs);
  BASE_PROFILER_MARKER_UNTYPED("before", OTHER);
  return RunMode(argc, argv,
                 {{"after_sampling", AfterSampling},
                  {"state_callbacks", StateCallbacks},
                  {"handler_forks", HandlerForks},
                  {"forked_idle", ForkedIdle},
                  {"signal_handler", SignalHandler},
                  {"racing", Racing},
                  {"children", Children},
                  {"exit_meanwhile", ExitMeanwhile},
                  {"main_exits", MainExits},
                  {"quick_exit", QuickExit}});
}
