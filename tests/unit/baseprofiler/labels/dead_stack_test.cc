// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "labels/dead_stack.h"

#include <signal.h>

#include <catch2/catch.hpp>

#include "forked_check.h"
#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

TEST_CASE("dead stack: on the own stack what lies below") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          const uintptr_t sp = Here();
          DeadStack dead(*core.slots().Current(), sp);
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
          DeadStack dead(*core.slots().Current(), coroutine_sp);
          FORKED_REQUIRE(!dead.Holds(coroutine_sp - 100) && !dead.Holds(Here() - 5000));
          FORKED_REQUIRE(!dead.Holds(reinterpret_cast<uintptr_t>(memory) + 100));
          return 0;
        }) == 0);
}

static uintptr_t g_on_alternate = 0;
static bool g_held_inside = true;

TEST_CASE("dead stack: the alternate one, once nobody is on it") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          static char memory[1 << 16];
          const stack_t alternate = {memory, 0, sizeof memory};
          FORKED_REQUIRE(sigaltstack(&alternate, nullptr) == 0);
          struct sigaction action = {};
          action.sa_flags = SA_ONSTACK;
          action.sa_handler = [](int) {
            g_on_alternate = Here();
            g_held_inside = DeadStack(*ProfilerCore::Get().slots().Current(), Here()).Holds(Here() - 500);
          };
          FORKED_REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0 && raise(SIGUSR1) == 0);
          FORKED_REQUIRE(g_on_alternate - reinterpret_cast<uintptr_t>(memory) < sizeof memory && !g_held_inside);
          DeadStack dead(*core.slots().Current(), Here());
          FORKED_REQUIRE(dead.Holds(g_on_alternate));
          FORKED_REQUIRE(!dead.Holds(reinterpret_cast<uintptr_t>(memory) + sizeof memory));
          core.StopForGood();  // as under a filter
          FORKED_REQUIRE(!DeadStack(*core.slots().Current(), Here()).Holds(g_on_alternate));
          return 0;
        }) == 0);
}

// An array of the function that has it armed, as small programs do it.
TEST_CASE("dead stack: nothing is, from an alternate stack inside the thread's own") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          alignas(16) char memory[1 << 16];
          const stack_t alternate = {memory, 0, sizeof memory};
          FORKED_REQUIRE(sigaltstack(&alternate, nullptr) == 0);
          struct sigaction action = {};
          action.sa_flags = SA_ONSTACK;
          action.sa_handler = [](int) {
            g_on_alternate = Here();
            g_held_inside = DeadStack(*ProfilerCore::Get().slots().Current(), Here()).Holds(Here() - (1 << 17));
          };
          FORKED_REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0 && raise(SIGUSR1) == 0);
          FORKED_REQUIRE(g_on_alternate - reinterpret_cast<uintptr_t>(memory) < sizeof memory && !g_held_inside);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
