#include "geckoprof/threads/thread_registry.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("a slot is found by its thread's id while it is live") {
  const auto registry = std::make_unique<ThreadRegistry>();
  ThreadSlot* const slot = registry->Claim();
  REQUIRE(slot != nullptr);
  CHECK(registry->FindByTid(ThreadId::FromNumber(5)) == nullptr);
  ThreadRegistry::Publish(slot, ThreadId::FromNumber(5));
  CHECK(registry->FindByTid(ThreadId::FromNumber(5)) == slot);
  CHECK(ThreadRegistry::Release(slot, ThreadId::FromNumber(5)));
  CHECK(registry->FindByTid(ThreadId::FromNumber(5)) == nullptr);
}

TEST_CASE("a thread has claimed a slot until it is published") {
  const auto registry = std::make_unique<ThreadRegistry>();
  const ThreadId creator = ThreadId::FromNumber(5);
  CHECK_FALSE(registry->HasClaimed(creator));
  ThreadSlot* const slot = registry->Claim();
  slot->creator_tid = creator.ToNumber();
  CHECK(registry->HasClaimed(creator));
  CHECK_FALSE(registry->HasClaimed(ThreadId::FromNumber(6)));
  ThreadRegistry::Publish(slot, ThreadId::FromNumber(7));
  CHECK_FALSE(registry->HasClaimed(creator));
}

TEST_CASE("a slot that is used again is as new") {
  const auto registry = std::make_unique<ThreadRegistry>();
  ThreadSlot* const slot = registry->Claim();
  ThreadRegistry::Publish(slot, ThreadId::FromNumber(5));
  slot->SetName("old");
  slot->labels.Push("open", nullptr, 0, slot);
  slot->stack_high = 1;
  ThreadRegistry::Release(slot, ThreadId::FromNumber(5));
  ThreadSlot* const again = registry->Claim();
  REQUIRE(again == slot);
  CHECK(again->name[0] == '\0');
  CHECK(again->labels.depth() == 0);
  CHECK(again->stack_high == 0);
}

TEST_CASE("more threads than one block holds") {
  const auto registry = std::make_unique<ThreadRegistry>();
  std::set<ThreadSlot*> slots;
  for (uint32_t i = 0; i < ThreadRegistry::kSlotsPerBlock * 3; ++i) {
    ThreadSlot* const slot = registry->Claim();
    REQUIRE(slot != nullptr);
    slots.insert(slot);
    ThreadRegistry::Publish(slot, ThreadId::FromNumber(static_cast<int32_t>(i) + 1));
  }
  CHECK(slots.size() == ThreadRegistry::kSlotsPerBlock * 3);
  uint32_t live = 0;
  registry->ForEachLive([&](ThreadSlot&) { ++live; });
  CHECK(live == ThreadRegistry::kSlotsPerBlock * 3);
}

TEST_CASE("threads that claim and release at once never share a slot") {
  const auto registry = std::make_unique<ThreadRegistry>();
  std::atomic<int> conflicts{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t]() mutable {
      for (int i = 0; i < 5000; ++i) {
        ThreadSlot* const slot = registry->Claim();
        slot->start_argument = &t;
        ThreadRegistry::Publish(slot, ThreadId::FromNumber(t + 1));
        if (slot->start_argument != &t) ++conflicts;
        ThreadRegistry::Release(slot, ThreadId::FromNumber(t + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(conflicts == 0);
}

TEST_CASE("a forked child keeps its own slot only") {
  const auto registry = std::make_unique<ThreadRegistry>();
  ThreadSlot* const mine = registry->Claim();
  ThreadRegistry::Publish(mine, ThreadId::FromNumber(1));
  ThreadRegistry::Publish(registry->Claim(), ThreadId::FromNumber(2));
  registry->KeepOnly(mine);
  CHECK(registry->FindByTid(ThreadId::FromNumber(1)) == mine);
  CHECK(registry->FindByTid(ThreadId::FromNumber(2)) == nullptr);
}

// Two find out that a thread has ended; before the second one acts, the slot is another thread's.
TEST_CASE("a slot is not taken from the thread that has it by now") {
  const auto registry = std::make_unique<ThreadRegistry>();
  ThreadSlot* const slot = registry->Claim();
  const ThreadId ended = ThreadId::FromNumber(5), next = ThreadId::FromNumber(9);
  ThreadRegistry::Publish(slot, ended);
  CHECK(ThreadRegistry::Release(slot, ended));
  CHECK_FALSE(ThreadRegistry::Release(slot, ended));
  REQUIRE(registry->Claim() == slot);
  CHECK_FALSE(ThreadRegistry::Release(slot, ended));
  ThreadRegistry::Publish(slot, next);
  CHECK_FALSE(ThreadRegistry::Release(slot, ended));
  CHECK(registry->FindByTid(next) == slot);
  CHECK(registry->Claim() != slot);
}

}  // namespace
}  // namespace geckoprof
