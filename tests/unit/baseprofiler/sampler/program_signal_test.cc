#include "sampler/program_signal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "core/profiler_core.h"
#include "forked_check.h"
#include "preload/real_functions.h"
#include "process/process_control.h"

namespace geckoprof {

// Of the core's slots the calling thread's own is all that there is here.
__thread ThreadSlot* ThreadSlots::own_ = nullptr;
void ThreadSlots::Begin(ThreadSlot* slot, uintptr_t /*stack_low*/, uintptr_t /*stack_high*/) { own_ = slot; }

namespace {

SamplerControl g_control;
int g_received[65];
siginfo_t g_info;
sigset_t g_mask_inside;

void Count(int signal) {
  ++g_received[signal];
  sigprocmask(SIG_SETMASK, nullptr, &g_mask_inside);
}
void CountInfo(int signal, siginfo_t* info, void*) {
  Count(signal);
  g_info = *info;
}

struct sigaction Handler(int flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = &CountInfo;
  action.sa_flags = SA_SIGINFO | flags;
  return action;
}

struct sigaction KernelDisposition(int signal) {
  struct sigaction action = {};
  RealSigaction(signal, nullptr, &action);
  return action;
}

bool Masks(const struct sigaction& action, int signal) { return sigismember(&action.sa_mask, signal) == 1; }

// Everything here is for good, so each case is a process of its own.
#define CHECK_FORKED(...) CHECK(StatusInChild([] __VA_ARGS__) == 0)

TEST_CASE("before Install no signal is in use") {
  CHECK_FORKED({
    FORKED_REQUIRE(ProgramSignal::Current() == 0);
    return 0;
  });
}

TEST_CASE("SIGURG is used, by a handler that restarts calls and takes the alternate stack") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGURG);
    FORKED_REQUIRE(g_control.signal.load() == SIGURG);
    const struct sigaction ours = KernelDisposition(SIGURG);
    FORKED_REQUIRE((ours.sa_flags & (SA_SIGINFO | SA_RESTART | SA_ONSTACK)) == (SA_SIGINFO | SA_RESTART | SA_ONSTACK));
    struct sigaction seen = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_handler == SIG_DFL);
    raise(SIGURG);  // the program's own, with the default action: nothing
    return 0;
  });
}

TEST_CASE("a signal that was ignored when the program began stays ignored, and the next one is used") {
  CHECK_FORKED({
    signal(SIGURG, SIG_IGN);
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
    return 0;
  });
}

TEST_CASE("the signal is lent as long as it may be sent, and a request made with it is waited for") {
  CHECK_FORKED({
    static int lent;
    lent = 0;
    const auto note = [](void*, int signal) { lent = signal; };
    FORKED_REQUIRE(!ProgramSignal::Lend(note, nullptr) && lent == 0);
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(ProgramSignal::Lend(note, nullptr) && lent == SIGURG);
    static CaptureBuffer open;
    open.word.store(MakeCaptureWord(1, CaptureState::kRequested));
    TheCaptureTable().buffers[CaptureTable::kFirstOnDemand].store(&open);
    struct sigaction own = {};
    own.sa_handler = [](int) {};
    own.sa_flags = SA_RESTART;
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &own, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGURG);  // served, not given away
    own.sa_handler = SIG_DFL;
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &own, nullptr) == 0);
    open.word.store(MakeCaptureWord(1, CaptureState::kAnswered));
    own.sa_handler = [](int) {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &own, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Lend(note, nullptr) && lent == SIGWINCH);
    return 0;
  });
}

TEST_CASE("a program that installs a handler gets the signal, and the sampler moves on") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    const struct sigaction wanted = Handler(SA_NODEFER);
    struct sigaction before = Handler();
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &wanted, &before) == 0);
    FORKED_REQUIRE(before.sa_handler == SIG_DFL);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction == &CountInfo);
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 1);
    raise(SIGWINCH);
    FORKED_REQUIRE(g_received[SIGWINCH] == 0);
    return 0;
  });
}

TEST_CASE("a handler that was installed past sigaction counts as the program's, and ours is put back") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    const struct sigaction wanted = Handler(SA_RESTART);
    FORKED_REQUIRE(RealSigaction(SIGURG, &wanted, nullptr) == 0);
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 1);
    ProgramSignal::ReclaimIfReplaced();
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
    raise(SIGURG);  // through ours
    FORKED_REQUIRE(g_received[SIGURG] == 2);
    struct sigaction seen = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo);
    struct sigaction without_restart = KernelDisposition(SIGURG);  // as siginterrupt(3) makes it
    without_restart.sa_flags &= ~SA_RESTART;
    FORKED_REQUIRE(RealSigaction(SIGURG, &without_restart, nullptr) == 0);
    ProgramSignal::ReclaimIfReplaced();
    FORKED_REQUIRE((KernelDisposition(SIGURG).sa_flags & SA_RESTART) != 0);
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 3);
    return 0;
  });
}

TEST_CASE("where both signals are ignored they are so in the kernel, for what exec starts, and nothing is sent") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &ignore, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGWINCH, &ignore, nullptr) == 0);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_IGN);
    FORKED_REQUIRE(g_control.signal.load() == 0);
    ProgramSignal::ReclaimIfReplaced();
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_IGN);
    struct sigaction standard = {};
    struct sigaction before = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGWINCH, &standard, &before) == 0);
    FORKED_REQUIRE(before.sa_handler == SIG_IGN);
    FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & SA_ONSTACK) != 0);
    return 0;
  });
}

TEST_CASE("setting the default action changes nothing") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    struct sigaction standard = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &standard, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGURG);
    FORKED_REQUIRE((KernelDisposition(SIGURG).sa_flags & SA_ONSTACK) != 0);
    return 0;
  });
}

// Both signals taken by the program: the second one is served through our handler.
int TakeBoth(const struct sigaction& wanted) {
  ProgramSignal::Install(&g_control);
  const struct sigaction first = Handler();
  if (ProgramSignal::Exchange(SIGURG, &first, nullptr) != 0) return -1;
  return ProgramSignal::Exchange(SIGWINCH, &wanted, nullptr);
}

TEST_CASE("with both signals taken the program's are passed on to it with their information") {
  CHECK_FORKED({
    struct sigaction wanted = Handler();
    sigaddset(&wanted.sa_mask, SIGUSR2);
    FORKED_REQUIRE(TakeBoth(wanted) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_sigaction != &CountInfo);
    raise(SIGWINCH);
    FORKED_REQUIRE(g_received[SIGWINCH] == 1);
    FORKED_REQUIRE(g_info.si_signo == SIGWINCH && g_info.si_pid == getpid());
    FORKED_REQUIRE(sigismember(&g_mask_inside, SIGWINCH) == 1 && sigismember(&g_mask_inside, SIGUSR2) == 1);
    FORKED_REQUIRE(sigismember(&g_mask_inside, SIGTERM) == 0);
    struct sigaction seen = {};
    ProgramSignal::Exchange(SIGWINCH, nullptr, &seen);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo && seen.sa_flags == wanted.sa_flags);
    sigset_t after;
    sigprocmask(SIG_SETMASK, nullptr, &after);
    FORKED_REQUIRE(sigismember(&after, SIGWINCH) == 0);
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
    ProgramSignal::Exchange(SIGWINCH, nullptr, &seen);
    FORKED_REQUIRE(seen.sa_handler == SIG_DFL);
    return 0;
  });
}

TEST_CASE("a signal of the program that it believes to have blocked stays pending until it unblocks it") {
  CHECK_FORKED({
    FORKED_REQUIRE(TakeBoth(Handler()) == 0);
    static ThreadSlot slot;
    slot.hidden_signal = SIGWINCH;
    ThreadSlots(&g_control).Begin(&slot, 0, 0);
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
    FORKED_REQUIRE(ProgramSignal::Current() == SIGWINCH && g_control.signal.load() == 0);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & (SA_RESTART | SA_ONSTACK)) == 0);
    int pipes[2];
    FORKED_REQUIRE(pipe(pipes) == 0);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      usleep(50'000);
      kill(parent, SIGWINCH);
      usleep(50'000);
      _exit(write(pipes[1], "x", 1) == 1 ? 0 : 1);
    }
    char byte;
    FORKED_REQUIRE(read(pipes[0], &byte, 1) == -1 && errno == EINTR);
    FORKED_REQUIRE(g_received[SIGWINCH] == 1);
    ProgramSignal::Install(&g_control);  // a later start
    FORKED_REQUIRE(g_control.signal.load() == 0 && g_control.drained_signal.load() == 0);
    ProgramSignal::ReclaimIfReplaced();
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & SA_RESTART) == 0);
    struct sigaction standard = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGWINCH, &standard, nullptr) == 0);
    FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & SA_RESTART) != 0);
    return 0;
  });
}

TEST_CASE("once a thread hides the signal, it is not given to the program") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(!ProgramSignal::NoteHidden(SIGWINCH));
    FORKED_REQUIRE(ProgramSignal::NoteHidden(SIGURG));
    const struct sigaction wanted = Handler(SA_RESTART);
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGURG && g_control.signal.load() == SIGURG);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_DFL);
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 1);
    return 0;
  });
}

TEST_CASE("the sampler goes over to the other signal and back, and the program sees nothing of it") {
  CHECK_FORKED({
    FORKED_REQUIRE(!ProgramSignal::UseOther() && !ProgramSignal::IsServed(SIGURG));
    ProgramSignal::Install(&g_control);
    struct sigaction all = Handler();
    sigfillset(&all.sa_mask);
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGUSR1, &all, nullptr) == 0);
    for (const int used : {SIGWINCH, SIGURG}) {
      const int former = ProgramSignal::OtherThan(used);
      FORKED_REQUIRE(!Masks(KernelDisposition(SIGUSR1), former) && Masks(KernelDisposition(SIGUSR1), used));
      FORKED_REQUIRE(ProgramSignal::UseOther());
      FORKED_REQUIRE(ProgramSignal::Current() == used && g_control.signal.load() == used);
      FORKED_REQUIRE(Masks(KernelDisposition(SIGUSR1), former) && !Masks(KernelDisposition(SIGUSR1), used));
      for (const int signal : {SIGURG, SIGWINCH}) {
        struct sigaction seen = {};
        FORKED_REQUIRE(ProgramSignal::IsServed(signal));
        FORKED_REQUIRE(ProgramSignal::Exchange(signal, nullptr, &seen) == 0 && seen.sa_handler == SIG_DFL);
        FORKED_REQUIRE(Masks(KernelDisposition(signal), SIGURG) && Masks(KernelDisposition(signal), SIGWINCH));
        raise(signal);
      }
      struct sigaction seen = {};
      FORKED_REQUIRE(ProgramSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
      FORKED_REQUIRE(Masks(seen, SIGURG) && Masks(seen, SIGWINCH));
    }
    return 0;
  });
}

TEST_CASE("the sampler does not go over to a signal that the program uses") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    for (const sighandler_t own : {sighandler_t{SIG_IGN}, sighandler_t{&Count}}) {
      struct sigaction used = {};
      used.sa_handler = own;
      FORKED_REQUIRE(ProgramSignal::Exchange(SIGWINCH, &used, nullptr) == 0);
      FORKED_REQUIRE(!ProgramSignal::UseOther() && ProgramSignal::Current() == SIGURG);
      FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == own);
    }
    return 0;
  });
}

TEST_CASE("a program that wants the former signal gets it, with what is right for the one in use") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(ProgramSignal::UseOther());
    g_control.drained_signal.store(SIGWINCH);
    struct sigaction wanted = Handler();
    sigaddset(&wanted.sa_mask, SIGWINCH);
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGWINCH && !ProgramSignal::IsServed(SIGURG));
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction == &CountInfo && !Masks(KernelDisposition(SIGURG), SIGWINCH));
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 1);
    struct sigaction seen = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo && Masks(seen, SIGWINCH));
    FORKED_REQUIRE(!ProgramSignal::UseOther());
    return 0;
  });
}

TEST_CASE("a handler that was installed past sigaction for the former signal is shown") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(ProgramSignal::UseOther());
    const struct sigaction raw = Handler();
    FORKED_REQUIRE(RealSigaction(SIGURG, &raw, nullptr) == 0);
    struct sigaction seen = {};
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, nullptr, &seen) == 0 && seen.sa_sigaction == &CountInfo);
    FORKED_REQUIRE(!ProgramSignal::UseOther() && ProgramSignal::Current() == SIGWINCH);
    return 0;
  });
}

TEST_CASE("a former signal stays served where a request may be on its way, or a thread hides it") {
  for (const bool hidden : {false, true}) {
    INFO("hidden " << hidden);
    CHECK(StatusInChild([hidden] {
            ProgramSignal::Install(&g_control);
            if (hidden) FORKED_REQUIRE(ProgramSignal::NoteHidden(SIGURG));
            FORKED_REQUIRE(ProgramSignal::UseOther());
            FORKED_REQUIRE(!ProgramSignal::NoteHidden(SIGURG));
            const struct sigaction wanted = Handler();  // interrupts calls
            FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
            FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
            FORKED_REQUIRE((KernelDisposition(SIGURG).sa_flags & SA_RESTART) == 0);
            FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
            raise(SIGURG);
            FORKED_REQUIRE(g_received[SIGURG] == 1);
            static ThreadSlot slot;
            slot.hidden_signal = SIGURG;
            ThreadSlots(&g_control).Begin(&slot, 0, 0);
            raise(SIGURG);
            FORKED_REQUIRE(g_received[SIGURG] == 1 && slot.Blocks(SIGURG) && slot.hidden_signal == 0);
            struct sigaction ignore = {};
            ignore.sa_handler = SIG_IGN;
            FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &ignore, nullptr) == 0);
            FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
            FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
            return 0;
          }) == 0);
  }
}

TEST_CASE("a program that wants the signal in use gets it, where the former one is free") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    FORKED_REQUIRE(ProgramSignal::UseOther());
    const struct sigaction wanted = Handler();
    FORKED_REQUIRE(ProgramSignal::Exchange(SIGWINCH, &wanted, nullptr) == 0);
    FORKED_REQUIRE(ProgramSignal::Current() == SIGURG && g_control.signal.load() == SIGURG);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_sigaction == &CountInfo);
    return 0;
  });
}

TEST_CASE("a signal that the program leaves alone interrupts no call") {
  CHECK_FORKED({
    ProgramSignal::Install(&g_control);
    std::atomic<bool> end{false};
    const pthread_t self = pthread_self();
    std::thread other([&] {
      while (!end) {
        pthread_kill(self, SIGURG);
        usleep(500);
      }
    });
    const timespec pause = {0, 50'000'000};
    const int result = ppoll(nullptr, 0, &pause, nullptr);
    end = true;
    other.join();
    FORKED_REQUIRE(result == 0);
    return 0;
  });
}

// Nobody answers: the sampler is there, or pauses, and says nothing.
int TakeUndrained(uint32_t state) {
  ProgramSignal::Install(&g_control);
  ForkSafeState().store(state);
  const struct sigaction wanted = Handler(SA_RESTART);
  FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
  FORKED_REQUIRE(ProgramSignal::Current() == SIGURG && g_control.signal.load() == SIGURG);
  FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
  FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_DFL);
  raise(SIGURG);
  FORKED_REQUIRE(g_received[SIGURG] == 1);
  return 0;
}

TEST_CASE("while a request is on its way the program's handler does not get the signal itself") {
  CHECK_FORKED({ return TakeUndrained(1); });
  CHECK_FORKED({ return TakeUndrained(2); });
}

TEST_CASE("masks of handlers say what the program set, once it handles the signal itself") {
  for (const bool hidden : {false, true}) {
    INFO("hidden " << hidden);
    CHECK(StatusInChild([hidden] {
            ProgramSignal::Install(&g_control);
            struct sigaction other = Handler();
            sigaddset(&other.sa_mask, SIGURG);
            FORKED_REQUIRE(ProgramSignal::Exchange(SIGUSR1, &other, nullptr) == 0);
            FORKED_REQUIRE(!Masks(KernelDisposition(SIGUSR1), SIGURG));
            struct sigaction seen = {};
            FORKED_REQUIRE(ProgramSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
            FORKED_REQUIRE(sigismember(&seen.sa_mask, SIGURG) == 1);
            if (hidden) ProgramSignal::NoteHidden(SIGURG);
            const struct sigaction wanted = Handler(SA_RESTART);
            FORKED_REQUIRE(ProgramSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
            FORKED_REQUIRE(Masks(KernelDisposition(SIGUSR1), SIGURG));
            FORKED_REQUIRE(ProgramSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
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

TEST_CASE("a thread that is not the first one can send a signal of the process again") {
  CHECK_FORKED({
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    std::thread([] {
      siginfo_t info = {};
      info.si_signo = SIGURG;
      info.si_code = SI_USER;
      info.si_pid = getpid();
      info.si_uid = 77;
      ProgramSignal::SendAgain(SIGURG, info);
    }).join();
    const timespec no_time = {};
    siginfo_t info = {};
    FORKED_REQUIRE(sigtimedwait(&set, &info, &no_time) == SIGURG);
    FORKED_REQUIRE(info.si_pid == getpid() && info.si_uid == 77);
    static CaptureBuffer buffer;
    TheCaptureTable().pid.store(getpid());
    for (uint32_t i = 0; i < CaptureTable::kCapacity; ++i) TheCaptureTable().buffers[i].store(&buffer);
    FORKED_REQUIRE(!ProgramSignal::IsOurs(info));
    return 0;
  });
}

TEST_CASE("only a request with our token form from this process is ours") {
  CHECK_FORKED({
    static CaptureBuffer buffer;
    TheCaptureTable().pid.store(getpid());
    TheCaptureTable().buffers[2].store(&buffer);
    siginfo_t info = {};
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_value.sival_ptr = reinterpret_cast<void*>(uint64_t{9} << 8 | 2);
    FORKED_REQUIRE(ProgramSignal::IsOurs(info));
    siginfo_t other = info;
    other.si_pid = getppid();
    FORKED_REQUIRE(!ProgramSignal::IsOurs(other));
    other = info;
    other.si_code = SI_TKILL;
    FORKED_REQUIRE(!ProgramSignal::IsOurs(other));
    other = info;
    other.si_value.sival_ptr = reinterpret_cast<void*>(uint64_t{9} << 8 | 3);
    FORKED_REQUIRE(!ProgramSignal::IsOurs(other));
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
