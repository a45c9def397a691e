// The signal of other processes, which base serves from its constructor on.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampling_signal_case.h"

namespace geckoprof {
namespace {

uint64_t g_obeyed;
void Obey(ControlValue value) { g_obeyed = value.number(); }

void SendControl(uint64_t number) {
  siginfo_t info = {};
  info.si_signo = kControlSignal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_value.sival_ptr = ControlValue(number, false).pointer();
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), kControlSignal, &info);
}

TEST_CASE("a request of another process is obeyed, and other signals have no effect") {
  CHECK_FORKED({
    SamplingSignal::Listen(&Obey, 0);
    FORKED_REQUIRE(SamplingSignal::Current() == 0);  // the sampler uses no signal yet
    FORKED_REQUIRE(SamplingSignal::IsServed(SIGURG));
    struct sigaction shown = KernelDisposition(SIGURG);
    FORKED_REQUIRE(shown.sa_handler != SIG_DFL);
    SamplingSignal::ToProgram(SIGURG, shown);
    FORKED_REQUIRE(shown.sa_handler == SIG_DFL);
    raise(SIGURG);
    FORKED_REQUIRE(g_obeyed == 0);
    SendControl(4711);
    FORKED_REQUIRE(g_obeyed == 4711);
    return 0;
  });
}

TEST_CASE("a handler of the program gets its own signals and no request, before and during a recording") {
  static bool is_recorded = false;
  is_recorded = GENERATE(false, true);
  CHECK_FORKED({
    SamplingSignal::Listen(&Obey, 0);
    if (is_recorded) SamplingSignal::Install(&g_control);
    const struct sigaction wanted = Handler(SA_RESTART);
    struct sigaction seen = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, &seen) == 0);
    FORKED_REQUIRE(seen.sa_handler == SIG_DFL);
    raise(SIGURG);
    SendControl(1);
    FORKED_REQUIRE(g_received[SIGURG] == 1 && g_obeyed == 1);
    SamplingSignal::Exchange(SIGURG, nullptr, &seen);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo);
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);  // the program uses the other one
    SendControl(2);
    FORKED_REQUIRE(g_received[SIGURG] == 1 && g_obeyed == 2);
    return 0;
  });
}

TEST_CASE("a signal that is ignored from the start stays ignored") {
  CHECK_FORKED({
    signal(SIGURG, SIG_IGN);
    SamplingSignal::Listen(&Obey, 0);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
    const struct sigaction wanted = Handler(SA_RESTART);
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
    SendControl(3);  // base's handler is back
    FORKED_REQUIRE(g_obeyed == 3 && g_received[SIGURG] == 0);
    return 0;
  });
}

int g_obeyed_signal;
void ObeyUser(int signal) { g_obeyed_signal = signal; }

TEST_CASE("the user's signals are obeyed, and the program sees the default") {
  CHECK_FORKED({
    SamplingSignal::Listen(&Obey, 0);
    FORKED_REQUIRE(!SamplingSignal::IsListenedToForUser(SIGUSR1));
    SamplingSignal::ListenToUser(&ObeyUser);
    for (const int signal : {SIGUSR1, SIGUSR2}) {
      FORKED_REQUIRE(SamplingSignal::IsListenedToForUser(signal));
      raise(signal);
      FORKED_REQUIRE(g_obeyed_signal == signal);
      struct sigaction shown = KernelDisposition(signal);
      SamplingSignal::ToProgram(signal, shown);
      FORKED_REQUIRE(shown.sa_handler == SIG_DFL && shown.sa_flags == 0);
    }
    FORKED_REQUIRE(!SamplingSignal::IsListenedToForUser(SIGHUP));
    return 0;
  });
}

TEST_CASE("a handler of the program takes the user's signal for good, before and during a recording") {
  static bool is_recorded = false;
  is_recorded = GENERATE(false, true);
  CHECK_FORKED({
    SamplingSignal::Listen(&Obey, 0);
    SamplingSignal::ListenToUser(&ObeyUser);
    if (is_recorded) SamplingSignal::Install(&g_control);
    const struct sigaction wanted = Handler(SA_RESTART);
    struct sigaction seen = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, &wanted, &seen) == 0);
    FORKED_REQUIRE(seen.sa_handler == SIG_DFL);
    raise(SIGUSR1);
    FORKED_REQUIRE(g_received[SIGUSR1] == 1 && g_obeyed_signal == 0);
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo);
    raise(SIGUSR2);  // the other one is still base's
    FORKED_REQUIRE(g_obeyed_signal == SIGUSR2);
    return 0;
  });
}

TEST_CASE("a user's signal that is ignored from the start stays ignored") {
  CHECK_FORKED({
    signal(SIGUSR1, SIG_IGN);
    SamplingSignal::Listen(&Obey, 0);
    SamplingSignal::ListenToUser(&ObeyUser);
    FORKED_REQUIRE(KernelDisposition(SIGUSR1).sa_handler == SIG_IGN);
    raise(SIGUSR1);
    FORKED_REQUIRE(g_obeyed_signal == 0);
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
