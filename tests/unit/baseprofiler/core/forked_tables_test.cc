// Each case in a forked child, in which nothing was used so far: Catch's own signal stack counts as a use.
#include "core/forked_tables.h"

#include <catch2/catch.hpp>

#include "c_api/declared_kinds.h"
#include "core/profiler_core.h"
#include "counters/counter_table.h"
#include "geckoprof/base/clock.h"
#include "handover/handover.h"
#include "labels/category_table.h"
#include "process/given_process_name.h"
#include "process/process_control.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

ProfilerCore& Loaded() {
  ProfilerCore& core = ProfilerCore::Get();
  core.OnConstructor({reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + 100'000, MonotonicNs()}, nullptr);
  WasUsed().store(false);
  return core;
}

template <typename Use>
void CheckNoted(const char* what, const Use& use) {
  INFO(what);
  CHECK(StatusInChild([&] {
          Loaded();
          FORKED_REQUIRE(!WasUsed());
          use();
          return WasUsed() ? 0 : 1;
        }) == 0);
}

TEST_CASE("whatever takes a lock that a fork must set free notes that before") {
  static const geckoprof_counter_description counter = {sizeof counter, 0, "c", nullptr, "", nullptr, nullptr};
  CheckNoted("a slot", [] { ProfilerCore::Get().slots().Current(); });
  CheckNoted("a counter", [] { CounterTable::Get().Create(&counter, false); });
  CheckNoted("a counter of a place", [] {
    geckoprof_counter* place = nullptr;
    CounterTable::Get().CreateOnce(&place, &counter, false);
  });
  CheckNoted("a category", [] {
    uint32_t pair = 0;
    CategoryTable::Get().Add("own", "blue", pair);
  });
  CheckNoted("a subcategory", [] {
    uint32_t pair = 0;
    CategoryTable::Get().AddSubcategory(0, "own", pair);
  });
  CheckNoted("the process's name", [] { GivenProcessName::Get().Set("name"); });
  CheckNoted("a site of C", [] { (void)DeclaredKinds::Site("site", 0, nullptr); });
  CheckNoted("a fork of somebody who holds us", [] {
    if (ProfilerCore::Get().HoldForFork()) ProfilerCore::Get().LetGo();
  });
}

// As the hooks are called: the child of a process in which nothing was used is one in which everything can be.
TEST_CASE("the child of a process that did not use us is a process of its own") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = Loaded();
          const ProcessId parent = core.pid();
          core.BeforeFork();
          const int status = StatusInChild([&] {
            const int64_t before_ns = MonotonicNs();
            FORKED_REQUIRE(!core.IsThisProcess());
            core.AfterForkInChild();
            FORKED_REQUIRE(!WasUsed() && core.IsThisProcess() && core.pid() != parent);
            FORKED_REQUIRE(core.constructor_ns() >= before_ns && core.constructor_ns() <= MonotonicNs());
            FORKED_REQUIRE(core.slots().Current() != nullptr);
            return 0;
          });
          core.AfterForkInParent();
          FORKED_REQUIRE(core.pid() == parent && !WasUsed());
          return status;
        }) == 0);
}

// Another thread was inside for the first time when this one forked, whose handler had seen nothing.
TEST_CASE("a use that begins between the handler and the fork leaves a child whose locks are free") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = Loaded();
          core.BeforeFork();
          NoteUse();
          const int status = StatusInChild([&] {
            core.AfterForkInChild();
            FORKED_REQUIRE(core.HoldForFork());
            core.LetGo();
            uint32_t pair = 0;
            CategoryTable::Get().Add("own", "blue", pair);
            FORKED_REQUIRE(CounterTable::Get().IsEmpty());
            return core.slots().Current() != nullptr ? 0 : 1;
          });
          core.AfterForkInParent();  // nothing to let go
          FORKED_REQUIRE(core.HoldForFork());
          core.LetGo();
          return status;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
