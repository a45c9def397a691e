// Each case runs in a forked child, since a process has one core.
#include <signal.h>

#include <catch2/catch.hpp>

#include "core/profiler_core.h"
#include "recording_folder.h"
#include "stacks/stack_bounds.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

char g_memory[1 << 16];
AlternateStack g_in_handler;

TEST_CASE("alternate stack: where it lies, and whether the thread runs on it") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          const stack_t none = {nullptr, SS_DISABLE, 0};
          FORKED_REQUIRE(sigaltstack(&none, nullptr) == 0);
          const AlternateStack without = AlternateStack::Query();
          FORKED_REQUIRE(!without.may_be_in_use && without.range.low == without.range.high);
          const stack_t stack = {g_memory, 0, sizeof g_memory};
          struct sigaction action = {};
          action.sa_flags = SA_ONSTACK;
          action.sa_handler = [](int) { g_in_handler = AlternateStack::Query(); };
          FORKED_REQUIRE(sigaltstack(&stack, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0);
          const auto low = reinterpret_cast<uintptr_t>(g_memory);
          const AlternateStack with = AlternateStack::Query();
          FORKED_REQUIRE(!with.may_be_in_use && with.range.low == low && with.range.high == low + sizeof g_memory);
          raise(SIGUSR1);
          FORKED_REQUIRE(g_in_handler.may_be_in_use);
          return 0;
        }) == 0);
}

TEST_CASE("alternate stack: it may be in use where a filter forbids the question") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load().StopForGood();
          FORKED_REQUIRE(AlternateStack::Query().may_be_in_use);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
