// Each case in a forked child, in which nothing was used so far: Catch's own signal stack counts as a use.

#include <signal.h>
#include <time.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "core/profiler_core.h"
#include "counters/counter_table.h"
#include "geckoprof/base/clock.h"
#include "handover/handover.h"
#include "labels/category_table.h"
#include "markers/marker_type_registry.h"
#include "markers/runtime_marker_types.h"
#include "process/process_control.h"
#include "process/process_title.h"
#include "tests/support/forked_check.h"
#include "tests/support/test_segment.h"

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
  CheckNoted("a slot", [] { RecordingState::Get().slots().Current(); });
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
  CheckNoted("the process's name", [] { ProcessNameOverride::Get().Set("name"); });
  CheckNoted("a site of C", [] { (void)RuntimeMarkerTypes::Site("site", 0, nullptr); });
  CheckNoted("a fork of somebody who holds us", [] {
    if (ProfilerCore::Get().HoldForFork()) ProfilerCore::Get().ReleaseForFork();
  });
}

// As the hooks are called: the child of a process in which nothing was used is one in which everything can be.
TEST_CASE("the child of a process that did not use us is a process of its own") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = Loaded();
          const ProcessId parent = RecordingState::Get().pid();
          core.BeforeFork();
          const int status = StatusInChild([&] {
            const int64_t before_ns = MonotonicNs();
            FORKED_REQUIRE(!RecordingState::Get().IsThisProcess());
            core.AfterForkInChild();
            FORKED_REQUIRE(!WasUsed() && RecordingState::Get().IsThisProcess() &&
                           RecordingState::Get().pid() != parent);
            FORKED_REQUIRE(RecordingState::Get().constructor_ns() >= before_ns &&
                           RecordingState::Get().constructor_ns() <= MonotonicNs());
            FORKED_REQUIRE(RecordingState::Get().slots().Current() != nullptr);
            return 0;
          });
          core.AfterForkInParent();
          FORKED_REQUIRE(RecordingState::Get().pid() == parent && !WasUsed());
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
            core.ReleaseForFork();
            uint32_t pair = 0;
            CategoryTable::Get().Add("own", "blue", pair);
            FORKED_REQUIRE(CounterTable::Get().IsEmpty());
            return RecordingState::Get().slots().Current() != nullptr ? 0 : 1;
          });
          core.AfterForkInParent();  // nothing to let go
          FORKED_REQUIRE(core.HoldForFork());
          core.ReleaseForFork();
          return status;
        }) == 0);
}

// Compared under the lock. Not in the function, where a fork may come while another thread makes it.
const std::string g_texts(7'000, 't');

void DeclareType(const Segment&) {
  geckoprof_marker_type type = {};
  type.size_bytes = sizeof type;
  type.name = "type";
  type.description = g_texts.c_str();
  (void)RuntimeMarkerTypes::Type(&type);
}

void RegisterSite(const Segment& segment) {
  geckoprof_marker_site site = {sizeof site, 0x100, "site", nullptr, 0};
  (void)MarkerTypeRegistry::SiteWord(segment, site);
}

void CreateCounter(const Segment&) {
  static const geckoprof_counter_description description = {sizeof description, 0, "c", nullptr, "", nullptr, nullptr};
  geckoprof_counter* const counter = CounterTable::Get().Create(&description, false);
  if (counter != nullptr) CounterTable::Get().Destroy(counter);
}

// Who waits for a lock has all signals blocked.
void KillThisProcessIn(time_t seconds) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer;
  const itimerspec once = {{0, 0}, {seconds, 0}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &once, nullptr);
}

TEST_CASE("a lock that another thread holds at the fork is free in the child") {
  const auto use = GENERATE(&DeclareType, &RegisterSite, &CreateCounter);
  CHECK(StatusInChild([use] {
          ProfilerCore& core = Loaded();
          TestSegment test;
          std::atomic<bool> ends{false};
          std::thread other([&] {
            while (!ends) use(test.segment());
          });
          int status = 0;
          for (int i = 0; i < 200 && status == 0; ++i) {
            core.BeforeFork();
            status = StatusInChild([&] {
              KillThisProcessIn(30);
              core.AfterForkInChild();
              use(test.segment());
              return 0;
            });
            core.AfterForkInParent();
          }
          ends = true;
          other.join();
          return status;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
