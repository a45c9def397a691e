// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "recording/thread_slots.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "core/profiler_core.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"
#include "tests/support/interrupted_at.h"

namespace geckoprof {
namespace {

TEST_CASE("a child that base does not know makes no slot in what may be its parent's memory") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          const pid_t child = fork();
          if (child == 0) _exit(RecordingState::Get().slots().Current() == nullptr ? 0 : 1);
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && status == 0);
          return RecordingState::Get().slots().Current() != nullptr ? 0 : 1;
        }) == 0);
}

TEST_CASE("each thread has one slot, made when it is first asked for") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(ThreadSlots::Known() == nullptr);
          ThreadSlot* const mine = RecordingState::Get().slots().Current();
          FORKED_REQUIRE(mine != nullptr && RecordingState::Get().slots().Current() == mine &&
                         ThreadSlots::Known() == mine);
          FORKED_REQUIRE(mine->tid.load() == gettid() && mine->state.load() == ThreadSlot::State::kLive);
          ThreadSlot* const claimed = RecordingState::Get().slots().Claim();
          FORKED_REQUIRE(claimed != nullptr && claimed != mine);
          RecordingState::Get().slots().Unclaim(claimed);
          FORKED_REQUIRE(RecordingState::Get().slots().Claim() == claimed);
          return 0;
        }) == 0);
}

TEST_CASE("a thread begins with the slot that was claimed for it, or goes on in the one of a handler that was faster") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          ThreadSlot* const claimed = RecordingState::Get().slots().Claim();
          FORKED_REQUIRE(RecordingState::Get().slots().Begin(claimed, 1000, 2000) == claimed);
          FORKED_REQUIRE(ThreadSlots::Known() == claimed && claimed->tid.load() == gettid());
          FORKED_REQUIRE(claimed->stack_low == 1000 && claimed->stack_high == 2000);
          ThreadSlot* const late = RecordingState::Get().slots().Claim();
          FORKED_REQUIRE(late != nullptr && RecordingState::Get().slots().Begin(late, 3000, 4000) == claimed);
          FORKED_REQUIRE(ThreadSlots::Known() == claimed && claimed->state.load() == ThreadSlot::State::kLive);
          FORKED_REQUIRE(claimed->stack_low == 3000 && claimed->stack_high == 4000);
          FORKED_REQUIRE(late->state.load() == ThreadSlot::State::kFree);
          return 0;
        }) == 0);
}

#ifdef GECKOPROF_CAN_INTERRUPT_AT
// A handler in the midst would mark in a slot that says nothing of its thread, or jump out and leave it so.
TEST_CASE("no signal's handler runs while a slot is made") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          RecordingState::Get().slots().Current();
          static int handled = 0, half_made = 0;
          signal(SIGUSR1, [](int) {
            const ThreadSlot* const slot = ThreadSlots::Known();
            ++handled;
            half_made += slot != nullptr && slot->tid.load() != gettid();
          });
          bool goes_on = true;
          for (uint64_t i = 0; goes_on; i += 7) {
            std::thread([&] {
              goes_on = InterruptedAt(
                  i, [] { raise(SIGUSR1); }, [&] { RecordingState::Get().slots().Current(); });
              ThreadRegistry::Release(ThreadSlots::Known(), CurrentThread());
            }).join();
          }
          FORKED_REQUIRE(handled > 20 && half_made == 0);
          return 0;
        }) == 0);
}
#endif

TEST_CASE("slots of threads that ended are used again while nothing is recorded") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          RecordingState::Get().slots().Current();
          ThreadSlot* slots[1000] = {};
          for (ThreadSlot*& slot : slots) std::thread([&] { slot = RecordingState::Get().slots().Current(); }).join();
          std::sort(std::begin(slots), std::end(slots));
          const auto different = std::unique(std::begin(slots), std::end(slots)) - std::begin(slots);
          FORKED_REQUIRE(different > 1 && different <= 130);
          return 0;
        }) == 0);
}

TEST_CASE("a slot says who claimed it, and the sampler whether it has seen the thread") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(RecordingState::Get().slots().Current()->tid.load() == getpid());
          const uint32_t before = RecordingState::Get().slots().CountUnlisted();
          FORKED_REQUIRE(before == 0);
          ThreadSlot* const slot = RecordingState::Get().slots().Claim();
          FORKED_REQUIRE(slot->creator_tid.load() == gettid() &&
                         RecordingState::Get().slots().CountUnlisted() == before);
          std::thread([&] { RecordingState::Get().slots().Begin(slot, 0, 0); }).join();
          FORKED_REQUIRE(slot->published_ns > 0 && RecordingState::Get().slots().CountUnlisted() == before + 1);
          slot->listed.store(true);
          FORKED_REQUIRE(RecordingState::Get().slots().CountUnlisted() == before);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
