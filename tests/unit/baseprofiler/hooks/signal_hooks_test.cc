#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/signal/capture_buffer.h"
#include "hooks/hook_calls.h"
#include "recording_folder.h"
#include "signal/sampling_signal.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

volatile sig_atomic_t g_handled = 0;
void Count(int) { g_handled = g_handled + 1; }

// The mask as the kernel has it.
bool KernelBlocks(int signal) {
  KernelSignalSet mask = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
  return (mask & SignalBit(signal)) != 0;
}
// The same as the program is told.
bool SeesBlocked(int signal) {
  sigset_t mask;
  sigemptyset(&mask);
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

sigset_t Only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

TEST_CASE("the program's handler for the sampler's signal is there, and told back") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int ours = SamplingSignal::Current();
          FORKED_REQUIRE(ours == SIGURG);
          struct sigaction seen = {};
          FORKED_REQUIRE(sigaction(ours, nullptr, &seen) == 0 && seen.sa_handler == SIG_DFL);
          struct sigaction next = {};
          next.sa_handler = &Count;
          FORKED_REQUIRE(sigaction(ours, &next, &seen) == 0 && seen.sa_handler == SIG_DFL);
          FORKED_REQUIRE(sigaction(ours, nullptr, &seen) == 0 && seen.sa_handler == &Count);
          raise(ours);
          FORKED_REQUIRE(g_handled == 1);
          FORKED_REQUIRE(sigaction(65, nullptr, &seen) == -1 && errno == EINVAL);
          FORKED_REQUIRE(sigaction(SIGKILL, &next, nullptr) == -1);
          return 0;
        }) == 0);
}

TEST_CASE("signal has BSD semantics for the sampler's signal, and libc's for others") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          for (const int number : {SamplingSignal::Current(), SIGUSR1}) {
            g_handled = 0;
            FORKED_REQUIRE(signal(number, &Count) == SIG_DFL);
            raise(number);
            raise(number);  // it stays
            FORKED_REQUIRE(g_handled == 2);
            struct sigaction seen = {};
            FORKED_REQUIRE(sigaction(number, nullptr, &seen) == 0);
            FORKED_REQUIRE((seen.sa_flags & SA_RESTART) != 0 && sigismember(&seen.sa_mask, number) == 1);
            FORKED_REQUIRE(signal(number, SIG_IGN) == &Count);
          }
          FORKED_REQUIRE(signal(SIGUSR1, SIG_ERR) == SIG_ERR);
          return 0;
        }) == 0);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_CASE("System V's functions are heard, too") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          for (const int number : {SIGUSR1, SamplingSignal::Current()}) {
            g_handled = 0;
            FORKED_REQUIRE(sysv_signal(number, &Count) == SIG_DFL);
            struct sigaction seen = {};
            FORKED_REQUIRE(sigaction(number, nullptr, &seen) == 0 && seen.sa_handler == &Count);
            FORKED_REQUIRE((seen.sa_flags & (SA_RESTART | static_cast<int>(SA_RESETHAND) | SA_NODEFER)) ==
                           (static_cast<int>(SA_RESETHAND) | SA_NODEFER));
            raise(number);
            FORKED_REQUIRE(g_handled == 1 && sysv_signal(number, SIG_DFL) == SIG_DFL);
            FORKED_REQUIRE(sysv_signal(number, SIG_ERR) == SIG_ERR && errno == EINVAL);
            FORKED_REQUIRE(ssignal(number, SIG_DFL) == SIG_DFL);
            FORKED_REQUIRE(sigset(number, &Count) == SIG_DFL && sigset(number, SIG_HOLD) == &Count);
            FORKED_REQUIRE(KernelBlocks(number) && sigset(number, &Count) == SIG_HOLD && !KernelBlocks(number));
            raise(number);
            FORKED_REQUIRE(g_handled == 2);
            FORKED_REQUIRE(sighold(number) == 0 && KernelBlocks(number) && SeesBlocked(number));
            FORKED_REQUIRE(sigrelse(number) == 0 && !KernelBlocks(number));
            FORKED_REQUIRE(sigignore(number) == 0 && signal(number, SIG_DFL) == SIG_IGN);
            FORKED_REQUIRE(sighold(0) == -1 && sigset(65, &Count) == SIG_ERR && sigset(number, SIG_ERR) == SIG_ERR);
          }
          return 0;
        }) == 0);
}
#pragma GCC diagnostic pop

TEST_CASE("who blocks the sampler's signal has it blocked; the sampler is told") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int ours = SamplingSignal::Current();
          const ThreadSlot& slot = *RecordingState::Get().slots().Current();
          const sigset_t set = Only(ours);
          sigset_t before;
          FORKED_REQUIRE(sigprocmask(SIG_BLOCK, &set, &before) == 0 && sigismember(&before, ours) == 0);
          FORKED_REQUIRE(KernelBlocks(ours) && SeesBlocked(ours) && slot.Blocks(ours));
          FORKED_REQUIRE(sigprocmask(SIG_UNBLOCK, &set, &before) == 0 && sigismember(&before, ours) == 1);
          FORKED_REQUIRE(!KernelBlocks(ours) && !SeesBlocked(ours) && !slot.Blocks(ours));
          return 0;
        }) == 0);
}

TEST_CASE("who blocks all has the sampler's signal open, and does not see it") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int ours = SamplingSignal::Current();
          const ThreadSlot& slot = *RecordingState::Get().slots().Current();
          sigset_t all;
          memset(&all, 0xff, sizeof(all));  // as sigfillset does not: with libc's own two
          sigset_t before;
          FORKED_REQUIRE(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
          FORKED_REQUIRE(!KernelBlocks(ours) && SeesBlocked(ours) && KernelBlocks(SIGUSR1));
          FORKED_REQUIRE(slot.hidden_signal == ours && !slot.Blocks(ours));
          FORKED_REQUIRE(!KernelBlocks(32) && !KernelBlocks(33));  // libc's own
          sigset_t told;
          FORKED_REQUIRE(pthread_sigmask(SIG_SETMASK, &before, &told) == 0 && sigismember(&told, ours) == 1);
          FORKED_REQUIRE(!SeesBlocked(ours) && !SeesBlocked(SIGUSR1) && slot.hidden_signal == 0);
          return 0;
        }) == 0);
}

TEST_CASE("who ignores the signal that it blocked with all others hides the other one from then on") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int former = SamplingSignal::Current();
          const ThreadSlot& slot = *RecordingState::Get().slots().Current();
          sigset_t all, none, before;
          sigfillset(&all);
          sigemptyset(&none);
          FORKED_REQUIRE(sigprocmask(SIG_SETMASK, &all, nullptr) == 0);
          FORKED_REQUIRE(slot.hidden_signal == former);
          FORKED_REQUIRE(signal(former, SIG_IGN) == SIG_DFL);
          const int other = SamplingSignal::OtherThan(former);
          FORKED_REQUIRE(SamplingSignal::Current() == other && slot.hidden_signal == other);
          FORKED_REQUIRE(KernelBlocks(former) && SeesBlocked(former) && !KernelBlocks(other) && SeesBlocked(other));
          FORKED_REQUIRE(sigprocmask(SIG_SETMASK, &all, &before) == 0 && sigismember(&before, other) == 1);
          FORKED_REQUIRE(!KernelBlocks(other) && slot.hidden_signal == other);
          // The former one is really ignored, and is the program's still.
          FORKED_REQUIRE(sigprocmask(SIG_SETMASK, &none, nullptr) == 0 && slot.hidden_signal == 0);
          raise(former);
          FORKED_REQUIRE(signal(former, &Count) == SIG_IGN);
          raise(former);
          FORKED_REQUIRE(g_handled == 1);
          return 0;
        }) == 0);
}

TEST_CASE("a program's own signal that waits stays when the mask changes") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int ours = SamplingSignal::Current();
          FORKED_REQUIRE(signal(ours, &Count) == SIG_DFL);
          const sigset_t set = Only(ours);
          FORKED_REQUIRE(sigprocmask(SIG_BLOCK, &set, nullptr) == 0);
          raise(ours);
          FORKED_REQUIRE(g_handled == 0);
          FORKED_REQUIRE(sigprocmask(SIG_BLOCK, &set, nullptr) == 0);
          FORKED_REQUIRE(sigprocmask(SIG_UNBLOCK, &set, nullptr) == 0);
          FORKED_REQUIRE(g_handled == 1);
          return 0;
        }) == 0);
}

TEST_CASE("wrong use is told as libc tells it") {
  for (const bool recording : {false, true}) {
    const RecordingFolder folder;
    CHECK(StatusInChild([&] {
            if (recording) FORKED_REQUIRE(folder.Start());
            const sigset_t set = Only(SIGUSR1);
            errno = 0;
            FORKED_REQUIRE(sigprocmask(77, &set, nullptr) == -1 && errno == EINVAL);
            FORKED_REQUIRE(pthread_sigmask(77, &set, nullptr) == EINVAL);
            FORKED_REQUIRE(!SeesBlocked(SIGUSR1));
            FORKED_REQUIRE(sigprocmask(77, nullptr, nullptr) == 0);  // `how` says nothing then
            return 0;
          }) == 0);
  }
}

TEST_CASE("who waits for signals gets the program's, never the sampler's requests") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          StartParameters parameters = folder.Asked();
          parameters.interval_ns = kMinIntervalNs;
          FORKED_REQUIRE(folder.Load().Start(parameters) == ProfilerCore::StartResult::kStarted);
          const sigset_t used = Only(SamplingSignal::Current());
          const timespec timeout = {0, 100'000'000};
          siginfo_t info = {};
          errno = 0;
          const int result = sigtimedwait(&used, &info, &timeout);
          FORKED_REQUIRE(result == -1 && (errno == EAGAIN || errno == EINTR));
          const sigset_t own = Only(SIGUSR1);
          FORKED_REQUIRE(sigprocmask(SIG_BLOCK, &own, nullptr) == 0);
          int number = 0;
          raise(SIGUSR1);
          FORKED_REQUIRE(sigwait(&own, &number) == 0 && number == SIGUSR1);
          raise(SIGUSR1);
          FORKED_REQUIRE(sigwaitinfo(&own, &info) == SIGUSR1 && info.si_pid == getpid());
          raise(SIGUSR1);
          FORKED_REQUIRE(sigwaitinfo(&own, nullptr) == SIGUSR1);
          raise(SIGUSR1);
          FORKED_REQUIRE(sigtimedwait(&own, nullptr, &timeout) == SIGUSR1);
          return 0;
        }) == 0);
}

TEST_CASE("a request that was taken by a wait for its signal is passed over") {
  constexpr int kRequests = 100;
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int used = SamplingSignal::Current();
          KernelSignalSet set = SignalBit(used) | SignalBit(SIGRTMIN);
          RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, nullptr, sizeof(set));
          CaptureBuffer buffer = {};
          TheCaptureTable().buffers[CaptureTable::kCapacity - 1].store(&buffer);
          const auto send_request = [&](pid_t tid) {
            siginfo_t info = {};
            info.si_signo = used;
            info.si_code = SI_QUEUE;
            info.si_pid = TheCaptureTable().pid.load();
            info.si_value.sival_ptr = CaptureValue(9, CaptureTable::kCapacity - 1).pointer();
            RawSyscall(SYS_rt_tgsigqueueinfo, getpid(), tid, used, &info);
          };
          const auto send = [&] {
            send_request(gettid());
            raise(SIGRTMIN);
          };
          sigset_t both = Only(used);
          sigaddset(&both, SIGRTMIN);
          const timespec timeout = {60, 0};
          siginfo_t info = {};
          while (TheCaptureTable().pid.load() == 0) sched_yield();
          send();
          FORKED_REQUIRE(sigtimedwait(&both, &info, &timeout) == SIGRTMIN);
          send();
          FORKED_REQUIRE(sigwaitinfo(&both, &info) == SIGRTMIN);
          int number = 0;
          send();
          FORKED_REQUIRE(sigwait(&both, &number) == 0 && number == SIGRTMIN);
          // The requests do not begin a wait with a timeout anew.
          std::atomic<int> sent{0};
          std::atomic<bool> waits{true};
          std::thread sender([&, waiter = gettid()] {
            for (; sent < kRequests && waits; ++sent) {
              send_request(waiter);
              SleepUntilNs(MonotonicNs() + 20 * kNsPerMs);
            }
          });
          const timespec short_timeout = {0, 100 * kNsPerMs};
          const sigset_t only_used = Only(used);
          const int result = sigtimedwait(&only_used, &info, &short_timeout);
          const bool is_timeout = result == -1 && errno == EAGAIN;
          waits = false;
          sender.join();
          FORKED_REQUIRE(is_timeout && sent > 0 && sent < kRequests);
          TheCaptureTable().buffers[CaptureTable::kCapacity - 1].store(nullptr);
          return 0;
        }) == 0);
}

// It shares our memory, not its parent's dispositions.
TEST_CASE("what the child of a vfork does with a signal is nothing to its parent") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const int ours = SamplingSignal::Current();
          const pid_t child = vfork();
          if (child == 0) {
            struct sigaction next = {};
            next.sa_handler = SIG_IGN;
            struct sigaction seen = {};
            const bool is_set = sigaction(ours, &next, nullptr) == 0 && sigaction(ours, nullptr, &seen) == 0;
            _exit(is_set && seen.sa_handler == SIG_IGN ? 5 : 6);
          }
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
          struct sigaction seen = {};
          FORKED_REQUIRE(sigaction(ours, nullptr, &seen) == 0 && seen.sa_handler == SIG_DFL);
          FORKED_REQUIRE(SamplingSignal::Current() == ours);
          return 0;
        }) == 0);
}

TEST_CASE("a new thread's slot says what its mask is") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          const int ours = SamplingSignal::Current();
          const KernelSignalSet only_ours = SignalBit(ours);
          RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &only_ours, nullptr, sizeof(only_ours));
          InheritSignalMask(slot, ours);
          FORKED_REQUIRE(slot.Blocks(ours) && slot.hidden_signal == 0);  // few are blocked
          const KernelSignalSet others = kEverySignal & ~only_ours;
          RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &others, nullptr, sizeof(others));
          InheritSignalMask(slot, ours);
          FORKED_REQUIRE(!slot.Blocks(ours) && slot.hidden_signal == ours);
          InheritSignalMask(slot, 0);
          FORKED_REQUIRE(slot.hidden_signal == 0);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
