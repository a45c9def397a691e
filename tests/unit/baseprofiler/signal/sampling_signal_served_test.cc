// A signal that the program handles itself, and that the sampler goes on to use: both are taken.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/profiler_core.h"
#include "process/process_control.h"
#include "sampling_signal_case.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

int TakeBoth(const struct sigaction& wanted) {
  SamplingSignal::Install(&g_control);
  const struct sigaction first = Handler();
  if (SamplingSignal::Exchange(SIGURG, &first, nullptr) != 0) return -1;
  return SamplingSignal::Exchange(SIGWINCH, &wanted, nullptr);
}

TEST_CASE("with both signals taken the program's are passed on to it with their information") {
  CHECK_FORKED({
    struct sigaction wanted = Handler();
    sigaddset(&wanted.sa_mask, SIGUSR2);
    FORKED_REQUIRE(TakeBoth(wanted) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_sigaction != &CountInfo);
    raise(SIGWINCH);
    FORKED_REQUIRE(g_received[SIGWINCH] == 1);
    FORKED_REQUIRE(g_info.si_signo == SIGWINCH && g_info.si_pid == getpid());
    FORKED_REQUIRE(sigismember(&g_mask_inside, SIGWINCH) == 1 && sigismember(&g_mask_inside, SIGUSR2) == 1);
    FORKED_REQUIRE(sigismember(&g_mask_inside, SIGTERM) == 0);
    struct sigaction seen = {};
    SamplingSignal::Exchange(SIGWINCH, nullptr, &seen);
    const struct sigaction as_bare = KernelDisposition(SIGURG);  // which is the program's alone
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo && seen.sa_flags == as_bare.sa_flags);
    FORKED_REQUIRE(seen.sa_restorer == as_bare.sa_restorer);
    sigset_t after;
    sigprocmask(SIG_SETMASK, nullptr, &after);
    FORKED_REQUIRE(sigismember(&after, SIGWINCH) == 0);
    return 0;
  });
}

TEST_CASE("a handler that does not ask for the alternate stack does not run there") {
  static int flags = 0;
  flags = GENERATE(SA_RESTART, SA_RESTART | SA_ONSTACK, 0, SA_ONSTACK);
  CHECK_FORKED({
    FORKED_REQUIRE(TakeBoth(Handler(flags)) == 0);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & (SA_ONSTACK | SA_RESTART)) == flags);
    return 0;
  });
}

TEST_CASE("SA_RESETHAND and SA_NODEFER are kept when passed on") {
  CHECK_FORKED({
    FORKED_REQUIRE(TakeBoth(Handler(static_cast<int>(SA_RESETHAND) | SA_NODEFER)) == 0);
    raise(SIGWINCH);
    FORKED_REQUIRE(sigismember(&g_mask_inside, SIGWINCH) == 0);
    raise(SIGWINCH);
    FORKED_REQUIRE(g_received[SIGWINCH] == 1);
    struct sigaction seen = {};
    SamplingSignal::Exchange(SIGWINCH, nullptr, &seen);
    FORKED_REQUIRE(seen.sa_handler == SIG_DFL);
    return 0;
  });
}

TEST_CASE("a signal of the program that it believes to have blocked stays pending until it unblocks it") {
  CHECK_FORKED({
    FORKED_REQUIRE(TakeBoth(Handler()) == 0);
    static ThreadSlot slot;
    slot.hidden_signal = SIGWINCH;
    ThreadSlots(&g_control, &g_process).Begin(&slot, 0, 0);
    raise(SIGWINCH);
    FORKED_REQUIRE(g_received[SIGWINCH] == 0);
    FORKED_REQUIRE(slot.Blocks(SIGWINCH) && slot.hidden_signal == 0);
    sigset_t set;
    FORKED_REQUIRE(sigpending(&set) == 0 && sigismember(&set, SIGWINCH) == 1);
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    const timespec no_time = {};
    siginfo_t info = {};
    FORKED_REQUIRE(sigtimedwait(&set, &info, &no_time) == SIGWINCH);
    FORKED_REQUIRE(info.si_code == SI_USER && info.si_pid == getpid());  // glibc shows SI_TKILL as SI_USER
    return 0;
  });
}

TEST_CASE("a handler that interrupts calls is served without restarting, and nothing is sent meanwhile") {
  CHECK_FORKED({
    FORKED_REQUIRE(TakeBoth(Handler()) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH && g_control.signal.load() == 0);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & (SA_RESTART | SA_ONSTACK)) == 0);
    int pipes[2];
    FORKED_REQUIRE(pipe(pipes) == 0);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      const bool waits = AwaitBlocked(parent);
      kill(parent, SIGWINCH);
      _exit(waits ? 0 : 1);
    }
    alarm(20);  // ends a call that was restarted
    char byte;
    FORKED_REQUIRE(read(pipes[0], &byte, 1) == -1 && errno == EINTR);
    FORKED_REQUIRE(g_received[SIGWINCH] == 1);
    SamplingSignal::Install(&g_control);  // a later start
    FORKED_REQUIRE(g_control.signal.load() == 0 && g_control.drained_signal.load() == 0);
    SamplingSignal::ReclaimIfReplaced();
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & SA_RESTART) == 0);
    struct sigaction standard = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGWINCH, &standard, nullptr) == 0);
    FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & SA_RESTART) != 0);
    return 0;
  });
}

// The program handles the signal in use from now on: it goes on being used, and serves both.
int HandleServed() {
  const struct sigaction wanted = Handler(SA_RESTART);
  FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
  FORKED_REQUIRE(SamplingSignal::Current() == SIGURG && g_control.signal.load() == SIGURG);
  FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
  FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_DFL);
  raise(SIGURG);
  FORKED_REQUIRE(g_received[SIGURG] == 1);
  return 0;
}

TEST_CASE("once a thread hides the signal, it is not given to the program") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(!SamplingSignal::NoteHidden(SIGWINCH));
    FORKED_REQUIRE(SamplingSignal::NoteHidden(SIGURG));
    return HandleServed();
  });
}

int HandleServedWhile(uint32_t state) {
  SamplingSignal::Install(&g_control);
  ForkSafeState().store(state);
  return HandleServed();
}

TEST_CASE("while a request is on its way the program's handler does not get the signal itself") {
  CHECK_FORKED({ return HandleServedWhile(1); });
  CHECK_FORKED({ return HandleServedWhile(2); });
}

TEST_CASE("masks of handlers say what the program set, once it handles the signal itself") {
  for (const bool hidden : {false, true}) {
    INFO("hidden " << hidden);
    CHECK(StatusInChild([hidden] {
            SamplingSignal::Install(&g_control);
            struct sigaction other = Handler();
            sigaddset(&other.sa_mask, SIGURG);
            FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, &other, nullptr) == 0);
            FORKED_REQUIRE(!Masks(KernelDisposition(SIGUSR1), SIGURG));
            struct sigaction seen = {};
            FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
            FORKED_REQUIRE(sigismember(&seen.sa_mask, SIGURG) == 1);
            if (hidden) SamplingSignal::NoteHidden(SIGURG);
            const struct sigaction wanted = Handler(SA_RESTART);
            FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
            FORKED_REQUIRE(Masks(KernelDisposition(SIGUSR1), SIGURG));
            FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
            FORKED_REQUIRE(sigismember(&seen.sa_mask, SIGURG) == 1 && sigismember(&seen.sa_mask, SIGWINCH) == 0);
            return 0;
          }) == 0);
  }
}

TEST_CASE("a signal from outside the process's namespace of ids is the program's") {
  CHECK_FORKED({
    FORKED_REQUIRE(TakeBoth(Handler(SA_RESTART)) == 0);
    siginfo_t info = {};
    info.si_signo = SIGWINCH;
    info.si_code = SI_USER;  // and process 0
    FORKED_REQUIRE(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGWINCH, &info) == 0);
    FORKED_REQUIRE(g_received[SIGWINCH] == 1);
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
