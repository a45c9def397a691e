#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/base/clock.h"
#include "sampler/thread_asker.h"
#include "signal/sampling_signal.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

SamplerControl g_control;
constexpr KernelSignalSet kUrg = SignalBit(SIGURG);
constexpr KernelSignalSet kWinch = SignalBit(SIGWINCH);

struct Thread {
  KernelSignalSet blocked;
  uint32_t idle_looks = 0;
};

// The signal in use after a tick in which these threads were there.
int UsedWith(const std::vector<Thread>& wanted, SignalChoice& choice, int64_t now_ns, bool any_blocked = true) {
  static ThreadSlot slots[8];
  std::vector<std::unique_ptr<SampledThread>> threads;
  for (const Thread& thread : wanted) {
    ThreadSlot& slot = slots[threads.size()];
    slot.blocked_signals.store(thread.blocked);
    threads.push_back(std::make_unique<SampledThread>());
    threads.back()->slot = &slot;
    threads.back()->idle_looks = thread.idle_looks;
  }
  threads.push_back(std::make_unique<SampledThread>());  // of which nothing is known
  if (any_blocked) choice.NoteSignalBlocked();
  choice.Choose(threads, g_control.signal.load() == 0, now_ns);
  return SamplingSignal::Current();
}

TEST_CASE("the signal that fewer of the running threads have blocked is used") {
  struct Case {
    std::vector<Thread> threads;
    int used;
  };
  const Case cases[] = {
      {{{0}, {0}}, SIGURG},
      {{{kUrg}, {0}}, SIGWINCH},
      {{{kUrg | kWinch}}, SIGURG},
      {{{kUrg}, {kWinch}}, SIGURG},
      {{{kUrg}, {kUrg}, {kWinch}}, SIGWINCH},
      {{{kUrg}, {kUrg, 1}, {kWinch}}, SIGURG},
      {{{kUrg}, {kWinch, 1}}, SIGWINCH},
      {{{kUrg, 1}}, SIGURG},
  };
  for (const Case& c : cases) {
    INFO("case " << &c - cases);
    CHECK(StatusInChild([&] {
            SamplingSignal::Install(&g_control);
            SignalChoice choice;
            FORKED_REQUIRE(UsedWith(c.threads, choice, 1, false) == SIGURG);
            FORKED_REQUIRE(UsedWith(c.threads, choice, 1) == c.used);
            return 0;
          }) == 0);
  }
}

TEST_CASE("the signal changes once in a while only") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          SignalChoice choice;
          FORKED_REQUIRE(UsedWith({{kUrg}}, choice, 1) == SIGWINCH);
          FORKED_REQUIRE(UsedWith({{kWinch}}, choice, SignalChoice::kPauseNs) == SIGWINCH);
          FORKED_REQUIRE(UsedWith({{kWinch}}, choice, 1 + SignalChoice::kPauseNs) == SIGURG);
          return 0;
        }) == 0);
}

TEST_CASE("where nothing may be sent with the signal in use, the other one is used once it is free") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          struct sigaction interrupts_calls = {};
          interrupts_calls.sa_handler = [](int) {};
          FORKED_REQUIRE(SamplingSignal::NoteHidden(SIGURG));  // so it is not given to the program
          FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, &interrupts_calls, nullptr) == 0);
          FORKED_REQUIRE(g_control.signal.load() == 0);
          SignalChoice choice;
          FORKED_REQUIRE(UsedWith({{0}}, choice, 1) == SIGWINCH && g_control.signal.load() == SIGWINCH);
          struct sigaction seen = {};
          FORKED_REQUIRE(SamplingSignal::Exchange(SIGURG, nullptr, &seen) == 0);
          FORKED_REQUIRE(seen.sa_handler == interrupts_calls.sa_handler);
          return 0;
        }) == 0);
}

TEST_CASE("of a thread that blocked the signal past us the kernel is asked") {
  CHECK(StatusInChild([] {
          SamplingSignal::Install(&g_control);
          RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &kUrg, nullptr, sizeof(kUrg));
          std::vector<std::unique_ptr<SampledThread>> threads;
          threads.push_back(std::make_unique<SampledThread>());
          threads.back()->tid = ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid)));
          threads.back()->is_signal_blocked = true;
          SignalChoice choice;
          choice.NoteSignalBlocked();
          choice.Choose(threads, false, 1);
          FORKED_REQUIRE(SamplingSignal::Current() == SIGWINCH);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
