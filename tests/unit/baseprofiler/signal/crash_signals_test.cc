#include "signal/crash_signals.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "libc/real_functions.h"

namespace geckoprof {
namespace {

// The reports of a child's crashes, in memory that this process shares with it.
struct Reports {
  int count, signal, code;
};
Reports* g_reports =
    static_cast<Reports*>(mmap(nullptr, sizeof(Reports), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

void Note(int signal, const siginfo_t& info, const void*) {
  ++g_reports->count;
  g_reports->signal = signal;
  g_reports->code = info.si_code;
}

// Returns the status of a child of waitpid(2), which `run` should end.
int StatusOf(const std::function<void()>& run) {
  *g_reports = {};
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
      signal(number, SIG_DFL);  // not the test framework's
    run();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

struct sigaction Disposition(int signal) {
  struct sigaction found;
  RealSigaction(signal, nullptr, &found);
  return found;
}

TEST_CASE("a crash is reported, and ends the process as without base") {
  const int status = StatusOf([] {
    CrashSignals::InstallAll(&Note);
    *reinterpret_cast<volatile int*>(8) = 1;
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
  CHECK((g_reports->count == 1 && g_reports->signal == SIGSEGV && g_reports->code == SEGV_MAPERR));
}

TEST_CASE("a signal that was sent ends the process, too") {
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    INFO(number);
    const int status = StatusOf([number] {
      CrashSignals::InstallAll(&Note);
      kill(getpid(), number);
      pause();
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == number));
    CHECK((g_reports->count == 1 && g_reports->signal == number && g_reports->code == SI_USER));
  }
}

TEST_CASE("the program's own dispositions stay") {
  const int status = StatusOf([] {
    signal(SIGSEGV, SIG_IGN);
    signal(SIGFPE, [](int) { _exit(7); });
    CrashSignals::InstallAll(&Note);
    if (Disposition(SIGSEGV).sa_handler != SIG_IGN) _exit(1);
    if (CrashSignals::IsOurs(Disposition(SIGFPE)) || !CrashSignals::IsOurs(Disposition(SIGILL))) _exit(2);
    raise(SIGFPE);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  CHECK(g_reports->count == 0);
}

TEST_CASE("the program sees the default disposition as it set it") {
  const int status = StatusOf([] {
    CrashSignals::InstallAll(&Note);
    struct sigaction set;
    memset(&set, 0, sizeof(set));
    set.sa_handler = SIG_DFL;
    set.sa_flags = SA_NODEFER;
    sigaddset(&set.sa_mask, SIGUSR1);
    RealSigaction(SIGBUS, &set, nullptr);
    CrashSignals::Install(SIGBUS);
    struct sigaction seen = Disposition(SIGBUS);
    if (!CrashSignals::IsOurs(seen)) _exit(1);
    CrashSignals::ToProgram(SIGBUS, seen);
    if (seen.sa_handler != SIG_DFL || (seen.sa_flags & SA_NODEFER) == 0) _exit(2);
    if (sigismember(&seen.sa_mask, SIGUSR1) != 1 || sigismember(&seen.sa_mask, SIGUSR2) != 0) _exit(3);
    CrashSignals::RemoveAll();
    if (Disposition(SIGBUS).sa_handler != SIG_DFL || (Disposition(SIGBUS).sa_flags & SA_NODEFER) == 0) _exit(4);
    CrashSignals::Install(SIGBUS);  // nothing is installed any more
    if (CrashSignals::IsOurs(Disposition(SIGBUS))) _exit(5);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

TEST_CASE("a handler of the program that passes the signal on does not make it come again and again") {
  const int status = StatusOf([] {
    CrashSignals::InstallAll(&Note);
    static struct sigaction before;
    struct sigaction own;
    memset(&own, 0, sizeof(own));
    own.sa_flags = SA_SIGINFO;
    own.sa_sigaction = [](int number, siginfo_t* info, void* context) { before.sa_sigaction(number, info, context); };
    RealSigaction(SIGSEGV, &own, &before);  // as a run time does that asks the kernel itself
    raise(SIGSEGV);
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
  CHECK(g_reports->count == 1);
}

TEST_CASE("other signals are none of a crash") {
  for (const int number : {0, -1, 65, SIGTRAP, SIGSYS, SIGTERM, SIGURG}) CHECK_FALSE(CrashSignals::Has(number));
  CHECK(CrashSignals::Has(SIGABRT));
}

}  // namespace
}  // namespace geckoprof
