#include "geckoprof/signal/kernel_ticks.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <memory>

#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {
namespace {

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
