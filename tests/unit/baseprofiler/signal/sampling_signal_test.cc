#include "signal/sampling_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "core/profiler_core.h"
#include "geckoprof/signal/capture_buffer.h"
#include "sampling_signal_case.h"

namespace geckoprof {

// Of the core's slots the calling thread's own is all that there is here.
__thread ThreadSlot* ThreadSlots::own_ = nullptr;
ThreadSlot* ThreadSlots::Begin(ThreadSlot* slot, uintptr_t /*stack_low*/, uintptr_t /*stack_high*/) {
  return own_ = slot;
}

namespace {

TEST_CASE("before Install no signal is in use") {
  CHECK_FORKED({
    FORKED_REQUIRE(SamplingSignal::Current() == 0);
    return 0;
  });
}

TEST_CASE("SIGURG is used, by a handler that restarts calls and takes the alternate stack") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGURG);
    FORKED_REQUIRE(g_control.signal.load() == SIGURG);
    const struct sigaction ours = KernelDisposition(SIGURG);
    FORKED_REQUIRE((ours.sa_flags & (SA_SIGINFO | SA_RESTART | SA_ONSTACK)) == (SA_SIGINFO | SA_RESTART | SA_ONSTACK));
    struct sigaction seen = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_handler == SIG_DFL);
    raise(SIGURG);  // the program's own, with the default action: nothing
    return 0;
  });
}

TEST_CASE("a signal that was ignored when the program began stays ignored, and the next one is used") {
  CHECK_FORKED({
    signal(SIGURG, SIG_IGN);
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
    return 0;
  });
}

// The kernel's mask of the last signal's handler.
bool LastHandlerIsProtected() {
  const struct sigaction last = KernelDisposition(SIGRTMAX);
  return sigismember(&last.sa_mask, SIGURG) == 1 && sigismember(&last.sa_mask, SIGWINCH) == 1;
}

TEST_CASE("handlers are protected before any thread's call returns") {
  for (int i = 0; i < 100; ++i) {
    CHECK_FORKED({
      SamplingSignal::Install(&g_control);
      const struct sigaction on_stack = Handler(SA_ONSTACK | SA_RESTART);
      for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) SamplingSignal::Exchange(signal, &on_stack, nullptr);
      static std::atomic<int> ready;
      static bool is_protected[2];
      const auto protect = [](int index) {
        ++ready;
        while (ready < 2) continue;
        SamplingSignal::ProtectHandlersOnStack();
        is_protected[index] = LastHandlerIsProtected();
      };
      std::thread other(protect, 1);
      protect(0);
      other.join();
      FORKED_REQUIRE(is_protected[0] && is_protected[1]);
      return 0;
    });
  }
}

TEST_CASE("the signal is lent as long as it may be sent, and a request made with it is waited for") {
  CHECK_FORKED({
    static int lent;
    lent = 0;
    const auto note = [](void*, int signal) { lent = signal; };
    FORKED_REQUIRE(!SamplingSignal::Lend(note, nullptr) && lent == 0);
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::Lend(note, nullptr) && lent == SIGURG);
    static CaptureBuffer open;
    open.word.store(MakeCaptureWord(1, CaptureState::kRequested));
    TheCaptureTable().buffers[CaptureTable::kFirstOnDemand].store(&open);
    struct sigaction own = {};
    own.sa_handler = [](int) {};
    own.sa_flags = SA_RESTART;
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &own, nullptr) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGURG);  // served, not given away
    own.sa_handler = SIG_DFL;
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &own, nullptr) == 0);
    open.word.store(MakeCaptureWord(1, CaptureState::kAnswered));
    own.sa_handler = [](int) {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &own, nullptr) == 0);
    FORKED_REQUIRE(SamplingSignal::Lend(note, nullptr) && lent == SIGWINCH);
    return 0;
  });
}

TEST_CASE("a program that installs a handler gets the signal, and the sampler moves on") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    const struct sigaction wanted = Handler(SA_NODEFER);
    struct sigaction before = Handler();
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, &before) == 0);
    FORKED_REQUIRE(before.sa_handler == SIG_DFL);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
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
    SamplingSignal::Install(&g_control);
    const struct sigaction wanted = Handler(SA_RESTART);
    FORKED_REQUIRE(RealSigaction(SIGURG, &wanted, nullptr) == 0);
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 1);
    SamplingSignal::ReclaimIfReplaced();
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
    raise(SIGURG);  // through ours
    FORKED_REQUIRE(g_received[SIGURG] == 2);
    struct sigaction seen = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo);
    struct sigaction without_restart = KernelDisposition(SIGURG);  // as siginterrupt(3) makes it
    without_restart.sa_flags &= ~SA_RESTART;
    FORKED_REQUIRE(RealSigaction(SIGURG, &without_restart, nullptr) == 0);
    SamplingSignal::ReclaimIfReplaced();
    FORKED_REQUIRE((KernelDisposition(SIGURG).sa_flags & SA_RESTART) != 0);
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 3);
    return 0;
  });
}

TEST_CASE("where both signals are ignored they are so in the kernel, for what exec starts, and nothing is sent") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &ignore, nullptr) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGWINCH, &ignore, nullptr) == 0);
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_IGN);
    FORKED_REQUIRE(g_control.signal.load() == 0);
    SamplingSignal::ReclaimIfReplaced();
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == SIG_IGN);
    struct sigaction standard = {};
    struct sigaction before = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGWINCH, &standard, &before) == 0);
    FORKED_REQUIRE(before.sa_handler == SIG_IGN);
    FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
    FORKED_REQUIRE((KernelDisposition(SIGWINCH).sa_flags & SA_ONSTACK) != 0);
    return 0;
  });
}

TEST_CASE("setting the default action changes nothing") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    struct sigaction standard = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &standard, nullptr) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGURG);
    FORKED_REQUIRE((KernelDisposition(SIGURG).sa_flags & SA_ONSTACK) != 0);
    return 0;
  });
}

// Both signals taken by the program: the second one is served through our handler.
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
      SamplingSignal::SendAgain(SIGURG, info);
    }).join();
    const timespec no_time = {};
    siginfo_t info = {};
    FORKED_REQUIRE(sigtimedwait(&set, &info, &no_time) == SIGURG);
    FORKED_REQUIRE(info.si_pid == getpid() && info.si_uid == 77);
    static CaptureBuffer buffer;
    TheCaptureTable().pid.store(getpid());
    for (uint32_t i = 0; i < CaptureTable::kCapacity; ++i) TheCaptureTable().buffers[i].store(&buffer);
    FORKED_REQUIRE(!SamplingSignal::IsRequest(info));
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
    info.si_value.sival_ptr = CaptureValue(9, 2).pointer();
    FORKED_REQUIRE(SamplingSignal::IsRequest(info));
    siginfo_t other = info;
    other.si_pid = getppid();
    FORKED_REQUIRE(!SamplingSignal::IsRequest(other));
    other = info;
    other.si_code = SI_TKILL;
    FORKED_REQUIRE(!SamplingSignal::IsRequest(other));
    other = info;
    other.si_value.sival_ptr = CaptureValue(9, 3).pointer();
    FORKED_REQUIRE(!SamplingSignal::IsRequest(other));
    // What the program queues to itself: small numbers, and addresses.
    for (const uintptr_t value : {uintptr_t{2}, uintptr_t{9} << 8 | 2, ~uintptr_t{0xfd}, uintptr_t{0x7ffff0000002}}) {
      other.si_value.sival_ptr = reinterpret_cast<void*>(value);
      FORKED_REQUIRE(!SamplingSignal::IsRequest(other));
    }
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
