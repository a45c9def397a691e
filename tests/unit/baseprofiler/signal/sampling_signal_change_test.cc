// The sampler changes to the other of its two signals of its own accord.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "core/profiler_core.h"
#include "sampling_signal_case.h"

namespace geckoprof {
namespace {

TEST_CASE("the sampler goes over to the other signal and back, and the program sees nothing of it") {
  CHECK_FORKED({
    FORKED_REQUIRE(!SamplingSignal::UseOther() && !SamplingSignal::IsServed(SIGURG));
    SamplingSignal::Install(&g_control);
    struct sigaction all = Handler();
    sigfillset(&all.sa_mask);
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, &all, nullptr) == 0);
    for (const int used : {SIGWINCH, SIGURG}) {
      const int former = SamplingSignal::OtherThan(used);
      FORKED_REQUIRE(!Masks(KernelDisposition(SIGUSR1), former) && Masks(KernelDisposition(SIGUSR1), used));
      FORKED_REQUIRE(SamplingSignal::UseOther());
      FORKED_REQUIRE(SamplingSignal::Current() == used && g_control.signal.load() == used);
      FORKED_REQUIRE(Masks(KernelDisposition(SIGUSR1), former) && !Masks(KernelDisposition(SIGUSR1), used));
      for (const int signal : {SIGURG, SIGWINCH}) {
        struct sigaction seen = {};
        FORKED_REQUIRE(SamplingSignal::IsServed(signal));
        FORKED_REQUIRE(SamplingSignal::Exchange(signal, nullptr, &seen) == 0 && seen.sa_handler == SIG_DFL);
        FORKED_REQUIRE(Masks(KernelDisposition(signal), SIGURG) && Masks(KernelDisposition(signal), SIGWINCH));
        raise(signal);
      }
      struct sigaction seen = {};
      FORKED_REQUIRE(SamplingSignal::Exchange(SIGUSR1, nullptr, &seen) == 0);
      FORKED_REQUIRE(Masks(seen, SIGURG) && Masks(seen, SIGWINCH));
    }
    return 0;
  });
}

TEST_CASE("the sampler does not go over to a signal that the program uses") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    for (const sighandler_t own : {sighandler_t{SIG_IGN}, sighandler_t{&Count}}) {
      struct sigaction used = {};
      used.sa_handler = own;
      FORKED_REQUIRE(SamplingSignal::Exchange(SIGWINCH, &used, nullptr) == 0);
      FORKED_REQUIRE(!SamplingSignal::UseOther() && SamplingSignal::Current() == SIGURG);
      FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_handler == own);
    }
    return 0;
  });
}

TEST_CASE("a program that wants the former signal gets it, with what is right for the one in use") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::UseOther());
    g_control.drained_signal.store(SIGWINCH);
    struct sigaction wanted = Handler();
    sigaddset(&wanted.sa_mask, SIGWINCH);
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH && !SamplingSignal::IsServed(SIGURG));
    FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction == &CountInfo && !Masks(KernelDisposition(SIGURG), SIGWINCH));
    raise(SIGURG);
    FORKED_REQUIRE(g_received[SIGURG] == 1);
    struct sigaction seen = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0);
    FORKED_REQUIRE(seen.sa_sigaction == &CountInfo && Masks(seen, SIGWINCH));
    FORKED_REQUIRE(!SamplingSignal::UseOther());
    return 0;
  });
}

TEST_CASE("a handler that was installed past sigaction for the former signal is shown") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::UseOther());
    const struct sigaction raw = Handler();
    FORKED_REQUIRE(RealSigaction(SIGURG, &raw, nullptr) == 0);
    struct sigaction seen = {};
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0 && seen.sa_sigaction == &CountInfo);
    FORKED_REQUIRE(!SamplingSignal::UseOther() && SamplingSignal::Current() == SIGWINCH);
    return 0;
  });
}

TEST_CASE("a former signal stays served where a request may be on its way, or a thread hides it") {
  for (const bool hidden : {false, true}) {
    INFO("hidden " << hidden);
    CHECK(StatusInChild([hidden] {
            SamplingSignal::Install(&g_control);
            if (hidden) FORKED_REQUIRE(SamplingSignal::NoteHidden(SIGURG));
            FORKED_REQUIRE(SamplingSignal::UseOther());
            FORKED_REQUIRE(!SamplingSignal::NoteHidden(SIGURG));
            const struct sigaction wanted = Handler();  // interrupts calls
            FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &wanted, nullptr) == 0);
            FORKED_REQUIRE(KernelDisposition(SIGURG).sa_sigaction != &CountInfo);
            FORKED_REQUIRE((KernelDisposition(SIGURG).sa_flags & SA_RESTART) == 0);
            FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
            raise(SIGURG);
            FORKED_REQUIRE(g_received[SIGURG] == 1);
            static ThreadSlot slot;
            slot.hidden_signal = SIGURG;
            ThreadSlots(&g_control, &g_process).Begin(&slot, 0, 0);
            raise(SIGURG);
            FORKED_REQUIRE(g_received[SIGURG] == 1 && slot.Blocks(SIGURG) && slot.hidden_signal == 0);
            struct sigaction ignore = {};
            ignore.sa_handler = SIG_IGN;
            FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &ignore, nullptr) == 0);
            FORKED_REQUIRE(KernelDisposition(SIGURG).sa_handler == SIG_IGN);
            FORKED_REQUIRE(g_control.signal.load() == SIGWINCH);
            return 0;
          }) == 0);
  }
}

TEST_CASE(
    "a program that ignores the signal in use has it ignored, and the sampler goes over, though a thread hides it") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          FORKED_REQUIRE(SamplingSignal::NoteHidden(SIGURG));
          struct sigaction ignore = {};
          ignore.sa_handler = SIG_IGN;
          FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &ignore, nullptr) == 0);
          FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH && g_control.signal.load() == SIGWINCH);
          FORKED_REQUIRE(SamplingSignal::IsServed(SIGURG));  // what it installs next does not reach who hides it
          struct sigaction seen = {};
          FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0 && seen.sa_handler == SIG_IGN);
          seen = {};
          FORKED_REQUIRE(RealSigaction(SIGURG, nullptr, &seen) == 0 &&
                         seen.sa_handler == SIG_IGN);  // as exec leaves it
          return 0;
        }) == 0);
}

TEST_CASE("a program that wants the signal in use gets it, where the former one is free") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
    FORKED_REQUIRE(SamplingSignal::UseOther());
    const struct sigaction wanted = Handler();
    FORKED_REQUIRE(SamplingSignal::Exchange(SIGWINCH, &wanted, nullptr) == 0);
    FORKED_REQUIRE(SamplingSignal::Current() == SIGURG && g_control.signal.load() == SIGURG);
    FORKED_REQUIRE(KernelDisposition(SIGWINCH).sa_sigaction == &CountInfo);
    return 0;
  });
}

TEST_CASE("a signal that the program leaves alone interrupts no call") {
  CHECK_FORKED({
    SamplingSignal::Install(&g_control);
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

}  // namespace
}  // namespace geckoprof
