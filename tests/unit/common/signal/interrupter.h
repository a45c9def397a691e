#ifndef GECKOPROF_TESTS_UNIT_COMMON_SIGNAL_INTERRUPTER_H_
#define GECKOPROF_TESTS_UNIT_COMMON_SIGNAL_INTERRUPTER_H_

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "geckoprof/signal/capture_handler.h"
#include "tests/support/await.h"

namespace geckoprof {

inline std::atomic<int> g_repaired{0};
inline std::atomic<bool> g_repair{true};
inline std::atomic<bool> g_cancels{false};  // the next repair of a call also cancels its thread

inline void OnInterruption(int, siginfo_t*, void* context) {
  if (!g_repair.load() || !RepairInterruptedCall(context, 0)) return;
  ++g_repaired;
  if (g_cancels.exchange(false)) pthread_cancel(pthread_self());
}

// Waits until a call that was made after now has been repaired. The first of two repairs may be of an earlier call.
inline bool AwaitRepair() {
  return Soon([before = g_repaired.load()] { return g_repaired >= before + 2; });
}

// Sends SIGURG to the thread that made it: all the time, or some times.
class Interrupter {
 public:
  explicit Interrupter(bool repair = true, int times = INT_MAX) {
    struct sigaction action = {};
    action.sa_sigaction = &OnInterruption;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));  // like base's handler, with libc's own two signals
    sigaction(SIGURG, &action, nullptr);
    g_repair = repair;
    g_repaired = 0;
    thread_ = std::thread([this, times, thread = pthread_self()] {
      for (int i = 0; i < times && !is_over_; ++i) {
        pthread_kill(thread, SIGURG);
        usleep(50);
      }
    });
  }
  ~Interrupter() { Stop(); }

  // The thread gets no signal afterwards.
  void Stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_COMMON_SIGNAL_INTERRUPTER_H_
