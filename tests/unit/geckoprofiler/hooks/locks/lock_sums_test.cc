#include "locks/lock_sums.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

using Sums = std::map<std::pair<WaitKind, uintptr_t>, LockSums::Sum>;

Sums TakeAll(LockSums& sums) {
  Sums all;
  sums.Take([&](const LockSums::Sum& sum) { all[{sum.kind, sum.address}] = sum; });
  return all;
}

TEST_CASE("waits are added up by kind and address") {
  const auto sums = std::make_unique<LockSums>();
  sums->Add(WaitKind::kMutex, 0x1000, 5);
  sums->Add(WaitKind::kMutex, 0x1000, 7);
  sums->Add(WaitKind::kMutex, 0x1000, 6);
  sums->Add(WaitKind::kSemaphore, 0x1000, 1);
  const Sums all = TakeAll(*sums);
  REQUIRE(all.size() == 2);
  const LockSums::Sum& mutex = all.at({WaitKind::kMutex, 0x1000});
  CHECK(mutex.waits == 3);
  CHECK(mutex.total_ns == 18);
  CHECK(mutex.longest_ns == 7);
  CHECK(all.at({WaitKind::kSemaphore, 0x1000}).total_ns == 1);
}

TEST_CASE("a lock begins at 0 after its sum was taken") {
  const auto sums = std::make_unique<LockSums>();
  sums->Add(WaitKind::kMutex, 0x1000, 9);
  TakeAll(*sums);
  CHECK(TakeAll(*sums).empty());
  sums->Add(WaitKind::kMutex, 0x1000, 2);
  const Sums all = TakeAll(*sums);
  CHECK(all.at({WaitKind::kMutex, 0x1000}).longest_ns == 2);
}

TEST_CASE("locks without a row are added up by kind, and get one when others are done") {
  const auto sums = std::make_unique<LockSums>();
  constexpr uint64_t kLocks = 4 * LockSums::kRows;
  uint64_t waits = 0;
  for (uint64_t i = 1; i <= kLocks; ++i) sums->Add(WaitKind::kMutex, i * 64, 1);
  Sums all = TakeAll(*sums);
  CHECK(all.count({WaitKind::kMutex, 0}) == 1);
  for (const auto& [lock, sum] : all) waits += sum.waits;
  CHECK(waits == kLocks);
  sums->Add(WaitKind::kMutex, 0x7f0000000040, 3);
  all = TakeAll(*sums);
  CHECK(all.at({WaitKind::kMutex, 0x7f0000000040}).total_ns == 3);
}

TEST_CASE("threads that add while another takes lose nothing") {
  const auto sums = std::make_unique<LockSums>();
  constexpr uint64_t kWaits = 100'000;
  uint64_t waits = 0, total_ns = 0;
  const auto take = [&] {
    sums->Take([&](const LockSums::Sum& sum) {
      waits += sum.waits;
      total_ns += sum.total_ns;
    });
  };
  std::vector<std::thread> threads;
  for (uintptr_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&sums, thread] {
      for (uint64_t i = 0; i < kWaits; ++i) sums->Add(WaitKind::kMutex, (i % (1 << thread << 4) + 1) << 6, 10);
    });
  }
  for (int i = 0; i < 200; ++i) take();
  for (std::thread& thread : threads) thread.join();
  take();
  CHECK(waits == 3 * kWaits);
  // The time of a wait may have been added, and its number not yet, when its row was taken the last time.
  CHECK(total_ns == 30 * kWaits);
}

}  // namespace
}  // namespace geckoprof
