#include "geckoprof/signal/kernel_ticks.h"

#include <signal.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/signal/capture_buffer.h"

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
      sleep.LieDown(SamplerSleep::kUntilTick);
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

siginfo_t TimerSignal(void* value) {
  siginfo_t info = {};
  info.si_signo = SIGURG;
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = value;
  return info;
}
siginfo_t DescriptorSignal(int code, int descriptor) {
  siginfo_t info = {};
  info.si_signo = SIGURG;
  info.si_code = code;
  info.si_fd = descriptor;
  return info;
}

// Places 3 and 1,023 are armed.
struct Fixture {
  Fixture() {
    table->threads[3].tid = 100;
    table->threads[3].serial = 7;
    table->threads[1023].tid = 101;
    table->threads[1023].serial = 0xffff'ffff;
    table->thread_of_descriptor[20] = 3 + 1;
    table->thread_of_descriptor[TickTable::kDescriptors - 1] = 1023 + 1;
    table->thread_of_descriptor[21] = TickTable::kFormerly;
  }
  // Returns the place of the tick, -1 for a tick of a timer that is gone, or -2 for no tick.
  int PlaceOf(const siginfo_t& info) const {
    TickedThread* thread = &table->threads[5];
    const bool is_tick = IsTick(*table, info, &thread);
    if (thread == nullptr) return is_tick ? -1 : -2;
    REQUIRE(is_tick);
    return static_cast<int>(thread - table->threads);
  }

  std::unique_ptr<TickTable> table = std::make_unique<TickTable>();
};

TEST_CASE("a value of a timer's tick has its serial and its place, and no pointer is one") {
  constexpr TickValue value(0xffff'fffe, 1023);
  static_assert(value.is_marked() && value.serial() == 0xffff'fffe && value.index() == 1023);
  CHECK(TickValue(TimerSignal(value.pointer())).serial() == 0xffff'fffe);
  CHECK(TickValue(TimerSignal(value.pointer())).index() == 1023);
  int here = 0;
  for (void* const pointer : {static_cast<void*>(&here), static_cast<void*>(nullptr), reinterpret_cast<void*>(-1L),
                              CaptureValue(7, 3).pointer()}) {
    CHECK_FALSE(TickValue(TimerSignal(pointer)).is_marked());
  }
  CHECK_FALSE(CaptureValue(TimerSignal(value.pointer())).is_marked());
}

TEST_CASE("a timer's tick finds its thread, as long as that timer is armed") {
  Fixture fixture;
  CHECK(fixture.PlaceOf(TimerSignal(TickValue(7, 3).pointer())) == 3);
  CHECK(fixture.PlaceOf(TimerSignal(TickValue(0xffff'ffff, 1023).pointer())) == 1023);
  CHECK(fixture.PlaceOf(TimerSignal(TickValue(5, 3).pointer())) == -1);  // an earlier timer of the place
  CHECK(fixture.PlaceOf(TimerSignal(TickValue(7, 4).pointer())) == -1);
  fixture.table->threads[3].serial = 0;
  CHECK(fixture.PlaceOf(TimerSignal(TickValue(7, 3).pointer())) == -1);
}

TEST_CASE("an event's tick finds its thread by its descriptor") {
  Fixture fixture;
  for (const int code : {POLL_IN, POLL_HUP}) {
    CHECK(fixture.PlaceOf(DescriptorSignal(code, 20)) == 3);
    CHECK(fixture.PlaceOf(DescriptorSignal(code, TickTable::kDescriptors - 1)) == 1023);
    CHECK(fixture.PlaceOf(DescriptorSignal(code, 21)) == -1);
  }
}

TEST_CASE("signals of the program's own timers and descriptors are no ticks") {
  Fixture fixture;
  int here = 0;
  CHECK(fixture.PlaceOf(TimerSignal(&here)) == -2);
  CHECK(fixture.PlaceOf(TimerSignal(nullptr)) == -2);
  CHECK(fixture.PlaceOf(TimerSignal(reinterpret_cast<void*>(3L))) == -2);
  CHECK(fixture.PlaceOf(TimerSignal(TickValue(7, TickTable::kThreads).pointer())) == -2);
  CHECK(fixture.PlaceOf(TimerSignal(CaptureValue(7, 3).pointer())) == -2);
  for (const int descriptor : {0, 19, 22, static_cast<int>(TickTable::kDescriptors), INT32_MAX, -1}) {
    CHECK(fixture.PlaceOf(DescriptorSignal(POLL_IN, descriptor)) == -2);
  }
}

TEST_CASE("signals of other kinds are no ticks, whatever they carry") {
  Fixture fixture;
  for (const int code : {SI_USER, SI_QUEUE, SI_TKILL, SI_MESGQ, SI_ASYNCIO, SI_SIGIO, SI_KERNEL}) {
    CHECK(fixture.PlaceOf(DescriptorSignal(code, 20)) == -2);
    siginfo_t info = TimerSignal(TickValue(7, 3).pointer());
    info.si_code = code;
    CHECK(fixture.PlaceOf(info) == -2);
  }
}

}  // namespace
}  // namespace geckoprof
