// Running threads that the sampler must not send its signal: their rows and the counts of losses tell the true reason.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "recording_folder.h"
#include "tests/support/forked_check.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

void BlockBoth() {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGURG);
  sigaddset(&both, SIGWINCH);
  sigprocmask(SIG_BLOCK, &both, nullptr);
}

void IgnoreBoth() {
  signal(SIGURG, SIG_IGN);
  signal(SIGWINCH, SIG_IGN);
}

ThreadSlot& OwnSlot() { return *RecordingState::Get().slots().Current(); }
void BeTraced() { OwnSlot().is_traced = true; }
void UseSmallStack() { OwnSlot().signal_stack_room = SignalStackRoom::kTooSmall; }

struct Case {
  const char* name;
  void (*forbid)();
  void (*forbid_too)();
  const char* text;
  const char* loss;
};

void Nothing() {}

constexpr Case kCases[] = {
    {"blocked", &BlockBoth, &Nothing, "blocks the profiler's signal", "signal-blocked"},
    {"in use", &IgnoreBoth, &Nothing, "own use of SIGURG and SIGWINCH", "signal-in-use"},
    {"traced", &BeTraced, &Nothing, "asked to be traced", "traced"},
    {"small stack", &UseSmallStack, &Nothing, "alternate signal stack is too small", "small-signal-stack"},
    // A larger stack would not help these threads.
    {"small stack, blocked", &UseSmallStack, &BlockBoth, "blocks the profiler's signal", "signal-blocked"},
    {"small stack, in use", &UseSmallStack, &IgnoreBoth, "own use of SIGURG and SIGWINCH", "signal-in-use"},
    {"small stack, traced", &UseSmallStack, &BeTraced, "asked to be traced", "traced"},
};

// Returns the text of the last row of the main thread.
std::string LastText(const ProcessProfile& profile) {
  for (const ThreadRow& row : profile.threads) {
    if (row.is_main && !row.samples.empty()) return StackText(profile, row.samples.back().stack);
  }
  return "";
}

bool Shows(const Case& c, const ProcessProfile& profile) {
  return LastText(profile).find(c.text) != std::string::npos &&
         std::ranges::any_of(profile.losses, [&](const LossRow& loss) { return loss.what == c.loss; });
}

TEST_CASE("a running thread that gets no signal is shown under the reason for it") {
  for (const Case& c : kCases) {
    INFO(c.name);
    const RecordingFolder folder;
    CHECK(StatusInChild([&] {
            FORKED_REQUIRE(folder.Start());
            c.forbid();
            c.forbid_too();
            ProcessProfile profile;
            const int64_t until_ns = MonotonicNs() + 20 * kNsPerSecond;
            do {
              profile = folder.Read(getpid());
            } while (!Shows(c, profile) && MonotonicNs() < until_ns);
            FORKED_REQUIRE(Shows(c, profile));
            return 0;
          }) == 0);
  }
}

}  // namespace
}  // namespace geckoprof
