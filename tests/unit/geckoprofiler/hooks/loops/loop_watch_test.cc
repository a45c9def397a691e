#include "loops/loop_watch.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

constexpr uint64_t kPlace = 7, kOther = 8;
bool Always() { return true; }

geckoprof_time Wait(LoopWatch& watch, uint64_t place, geckoprof_time end) {
  const geckoprof_time begin = watch.Enter(place, Always);
  watch.Leave(place, end);
  return begin;
}

// Waits until the thread is a loop that has waited once, until time 100.
void MakeLoop(LoopWatch& watch) {
  for (uint32_t i = 0; i < LoopWatch::kLeastWaits; ++i) CHECK(Wait(watch, kPlace, 100) == 0);
}

TEST_CASE("an iteration is measured when the thread has waited at one place for several times") {
  LoopWatch watch;
  MakeLoop(watch);
  CHECK(Wait(watch, kPlace, 200) == 100);
  CHECK(Wait(watch, kPlace, 300) == 200);
}

TEST_CASE("waits at alternating places are no loop") {
  LoopWatch watch;
  for (geckoprof_time i = 1; i < 50; ++i) {
    CHECK(Wait(watch, kPlace, i) == 0);
    CHECK(Wait(watch, kOther, i) == 0);
  }
}

TEST_CASE("a wait elsewhere is a part of the iteration") {
  LoopWatch watch;
  MakeLoop(watch);
  CHECK(Wait(watch, kOther, 150) == 0);
  CHECK(Wait(watch, kPlace, 200) == 100);
}

TEST_CASE("another place becomes the loop's when the thread stays there") {
  LoopWatch watch;
  MakeLoop(watch);
  for (uint32_t i = 0; i < LoopWatch::kLeastWaits; ++i) CHECK(Wait(watch, kOther, 500) == 0);
  CHECK(Wait(watch, kOther, 600) == 500);
  CHECK(Wait(watch, kPlace, 700) == 0);
}

TEST_CASE("a place is asked once whether it may be a loop") {
  LoopWatch watch;
  int asked = 0;
  const auto refuse = [&asked] {
    ++asked;
    return false;
  };
  for (int i = 0; i < 100; ++i) {
    CHECK(watch.Enter(kPlace, refuse) == 0);
    watch.Leave(kPlace, 1);
  }
  CHECK(asked == 1);
}

TEST_CASE("a descriptor that is used again is not the loop, and a pause is no iteration") {
  LoopWatch watch;
  MakeLoop(watch);
  SECTION("forgotten") {
    watch.Forget(kPlace);
    MakeLoop(watch);
    CHECK(Wait(watch, kPlace, 200) == 100);
  }
  SECTION("paused") {
    watch.Pause();
    CHECK(Wait(watch, kPlace, 900) == 0);
    CHECK(Wait(watch, kPlace, 1000) == 900);
  }
}

TEST_CASE("a program's own loop says where its iterations begin and end") {
  LoopWatch watch;
  CHECK(watch.End() == 0);
  watch.Begin(40);
  CHECK(watch.End() == 40);
  CHECK(watch.End() == 0);
}

}  // namespace
}  // namespace geckoprof
