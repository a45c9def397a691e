#include "sampler/tick_signal.h"

#include <catch2/catch.hpp>
#include <thread>

namespace geckoprof {
namespace {

TEST_CASE("a tick leaves its time and whether it sampled") {
  TickSignal signal;
  CHECK(signal.last().tick_ns == 0);
  signal.Tick(INT64_C(1) << 60, true);
  CHECK(signal.last().tick_ns == INT64_C(1) << 60);
  CHECK(signal.last().sampled);
  signal.Tick(5, false);
  CHECK(signal.last().tick_ns == 5);
  CHECK_FALSE(signal.last().sampled);
}

TEST_CASE("whoever waits is woken by a tick and by a poke, also by one that came before") {
  TickSignal signal;
  const uint32_t seen = signal.sequence();
  signal.Tick(1, true);
  signal.Wait(seen, -1);  // would hang
  for (const bool poke : {false, true}) {
    signal.SetWaitedFor(true);
    const uint32_t before = signal.sequence();
    std::thread other([&] { poke ? signal.Poke() : signal.Tick(2, true); });
    while (signal.sequence() == before) signal.Wait(before, -1);
    other.join();
  }
}

}  // namespace
}  // namespace geckoprof
