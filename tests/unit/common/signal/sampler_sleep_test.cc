#include "geckoprof/signal/sampler_sleep.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"

namespace geckoprof {
namespace {

TEST_CASE("a sampler is woken from a sleep that is deep enough, and once") {
  struct Case {
    SamplerSleep::Depth depth, least;
    bool wakes;
  };
  const Case cases[] = {
      {SamplerSleep::kAwake, SamplerSleep::kUntilBatch, false},
      {SamplerSleep::kAwake, SamplerSleep::kUntilTick, false},
      {SamplerSleep::kUntilBatch, SamplerSleep::kUntilBatch, true},
      {SamplerSleep::kUntilBatch, SamplerSleep::kUntilTick, false},
      {SamplerSleep::kUntilTick, SamplerSleep::kUntilBatch, true},
      {SamplerSleep::kUntilTick, SamplerSleep::kUntilTick, true},
  };
  for (const Case& c : cases) {
    INFO("depth " << c.depth << ", least " << c.least);
    SamplerSleep sleep{};
    sleep.word = 5;  // a command
    sleep.depth = c.depth;
    for (int i = 0; i < 3; ++i) sleep.WakeFrom(c.least);
    CHECK(sleep.word == (c.wakes ? 5 + SamplerSleep::kStep : 5));
    CHECK(sleep.depth == (c.wakes ? SamplerSleep::kAwake : c.depth));
  }
}

TEST_CASE("a nudge keeps the command and the depth") {
  SamplerSleep sleep{};
  sleep.word = UINT32_MAX - 2;  // the count is about to begin anew
  sleep.depth = SamplerSleep::kUntilBatch;
  sleep.Nudge();
  CHECK(sleep.word % SamplerSleep::kStep == 5);
  CHECK(sleep.word != UINT32_MAX - 2);
  CHECK(sleep.depth == SamplerSleep::kUntilBatch);
}

// Each side writes its variable first and reads the other's then. With a lost wake the sampler would sleep for a
// minute.
TEST_CASE("no wake is lost, whenever it comes") {
  constexpr uint32_t kPieces = 20'000;
  constexpr int64_t kLongNs = 60 * kNsPerSecond;
  SamplerSleep sleep{};
  std::atomic<uint32_t> published{0}, taken{0};
  uint32_t lost = 0;
  std::thread sampler([&] {
    while (taken < kPieces && lost == 0) {
      const uint32_t word = sleep.word.load(std::memory_order_acquire);
      sleep.depth.store(SamplerSleep::kUntilTick, std::memory_order_seq_cst);
      if (published.load(std::memory_order_seq_cst) == taken && FutexWait(sleep.word, word, kLongNs) == -ETIMEDOUT) {
        ++lost;
      }
      sleep.depth.store(SamplerSleep::kAwake, std::memory_order_relaxed);
      taken = published.load(std::memory_order_seq_cst);
    }
    taken = kPieces;
  });
  for (uint32_t i = 0; i < kPieces; ++i) {
    published.fetch_add(1, std::memory_order_seq_cst);
    sleep.WakeFrom(SamplerSleep::kUntilTick);
    // Half of the pieces meet a sampler that is about to sleep.
    if (i % 2 == 0) continue;
    while (taken.load() <= i && taken.load() != kPieces) std::this_thread::yield();
  }
  sampler.join();
  CHECK(lost == 0);
}

}  // namespace
}  // namespace geckoprof
