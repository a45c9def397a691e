// Threads that cannot be sent the sampler's signal.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "sampler_recording.h"

namespace geckoprof {
namespace {

TEST_CASE("a thread that blocks both signals is shown as such, its time is not lost") {
  std::atomic<int32_t> tid{0};
  std::atomic<bool> end{false};
  std::thread blocking([&] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    sigaddset(&set, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    tid = OwnTid().ToNumber();
    while (!end) WorkFor(kMs);
  });
  while (tid == 0) std::this_thread::yield();
  SamplerRecording recording;
  for (int i = 0; i < 400 && recording.segment().drops(DropReason::kSignalBlocked) == 0; ++i) WorkFor(5 * kMs);
  recording.End(SamplerControl::kStop);
  end = true;
  blocking.join();
  CHECK(recording.segment().drops(DropReason::kSignalBlocked) > 0);
  const ProcessProfile profile = ReadBack(recording.segment());
  const ThreadRow& row = RowOf(profile, ThreadId::FromNumber(tid));
  REQUIRE_FALSE(row.samples.empty());
  const auto shows_reason = [&](const SampleRow& sample) {
    return sample.stack != kNone && StackText(profile, sample.stack).find("signal") != std::string::npos;
  };
  CHECK(std::any_of(row.samples.begin(), row.samples.end(), shows_reason));
}

TEST_CASE("a thread that blocks one of both signals is asked with the other, also when it was asked before") {
  for (const int signal : {SIGURG, SIGWINCH}) {
    for (const bool by_libc : {true, false}) {
      INFO("signal " << signal << " by libc " << by_libc);
      std::atomic<bool> block{false}, end{false};
      std::atomic<int32_t> tid{0};
      std::thread half_blocking([&] {
        tid = OwnTid().ToNumber();
        while (!block) WorkFor(kMs / 10);
        const KernelSignalSet raw = SignalBit(signal);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, signal);
        if (by_libc) {
          pthread_sigmask(SIG_BLOCK, &set, nullptr);
        } else {
          syscall(SYS_rt_sigprocmask, SIG_BLOCK, &raw, nullptr, sizeof(raw));
        }
        while (!end) WorkFor(kMs);
      });
      while (tid == 0) std::this_thread::yield();
      SamplerRecording recording;
      recording.AwaitTicks(5);
      block = true;
      for (int i = 0; i < 4000 && SamplingSignal::Current() == signal; ++i) WorkFor(5 * kMs);
      CHECK(SamplingSignal::Current() == SamplingSignal::OtherThan(signal));
      const ThreadId id = ThreadId::FromNumber(tid);
      for (const int64_t until_ns = ThreadCpuNs(id) + 50 * kMs; ThreadCpuNs(id) < until_ns;) WorkFor(kMs);
      recording.AwaitTicks(2);
      recording.End(SamplerControl::kStop);
      end = true;
      half_blocking.join();
      const ProcessProfile profile = ReadBack(recording.segment());
      const ThreadRow& row = RowOf(profile, ThreadId::FromNumber(tid));
      REQUIRE_FALSE(row.samples.empty());
      CHECK(StackText(profile, row.samples.back().stack).find("signal") == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace geckoprof
