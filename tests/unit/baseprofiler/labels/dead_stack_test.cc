// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "labels/dead_stack.h"

#include <signal.h>

#include <catch2/catch.hpp>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

TEST_CASE("dead stack: on the own stack what lies below") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          const uintptr_t sp = Here();
          DeadStack dead(*RecordingState::Get().slots().Current(), sp);
          FORKED_REQUIRE(dead.Holds(sp - 1) && dead.Holds(sp - 5000));
          FORKED_REQUIRE(!dead.Holds(sp) && !dead.Holds(sp + 5000));
          FORKED_REQUIRE(!dead.Holds(reinterpret_cast<uintptr_t>(&core)));
          return 0;
        }) == 0);
}

TEST_CASE("dead stack: nothing is, where the bounds are not known or somebody is elsewhere") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          static char elsewhere[4096];
          const auto coroutine_sp = reinterpret_cast<uintptr_t>(elsewhere) + 2048;
          static char memory[1 << 16];
          const stack_t alternate = {memory, 0, sizeof memory};
          FORKED_REQUIRE(sigaltstack(&alternate, nullptr) == 0);
          DeadStack dead(*RecordingState::Get().slots().Current(), coroutine_sp);
          FORKED_REQUIRE(!dead.Holds(coroutine_sp - 100) && !dead.Holds(Here() - 5000));
          FORKED_REQUIRE(!dead.Holds(reinterpret_cast<uintptr_t>(memory) + 100));
          return 0;
        }) == 0);
}

constexpr size_t kAlternateBytes = 1 << 16;
uintptr_t g_on_alternate = 0;
size_t g_distance = 0;
bool g_held_inside = true;

// Arms `memory` as the alternate stack; a handler on it asks for what lies so far below it.
bool NothingIsDeadFrom(char (&memory)[kAlternateBytes], size_t distance) {
  const stack_t alternate = {memory, 0, sizeof memory};
  struct sigaction action = {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = [](int) {
    g_on_alternate = Here();
    g_held_inside = DeadStack(*RecordingState::Get().slots().Current(), Here()).Holds(Here() - g_distance);
  };
  g_distance = distance;
  if (sigaltstack(&alternate, nullptr) != 0 || sigaction(SIGUSR1, &action, nullptr) != 0) return false;
  raise(SIGUSR1);
  return g_on_alternate - reinterpret_cast<uintptr_t>(memory) < sizeof memory && !g_held_inside;
}

TEST_CASE("dead stack: the alternate one, once nobody is on it") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          static char memory[kAlternateBytes];
          FORKED_REQUIRE(NothingIsDeadFrom(memory, 500));
          DeadStack dead(*RecordingState::Get().slots().Current(), Here());
          FORKED_REQUIRE(dead.Holds(g_on_alternate));
          FORKED_REQUIRE(!dead.Holds(reinterpret_cast<uintptr_t>(memory) + sizeof memory));
          core.StopForGood();  // as under a filter
          FORKED_REQUIRE(!DeadStack(*RecordingState::Get().slots().Current(), Here()).Holds(g_on_alternate));
          return 0;
        }) == 0);
}

// An array of the function that has it armed, as small programs do it.
TEST_CASE("dead stack: nothing is, from an alternate stack inside the thread's own") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          alignas(16) char memory[kAlternateBytes];
          FORKED_REQUIRE(NothingIsDeadFrom(memory, (1 << 17)));
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
