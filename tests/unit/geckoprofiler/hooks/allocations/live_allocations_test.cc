#include "allocations/live_allocations.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("a block is there until it is taken") {
  const auto live = std::make_unique<LiveAllocations>();
  int64_t weight = 0;
  CHECK_FALSE(live->Add(0x1000, 5));  // there is no table yet
  CHECK_FALSE(live->Take(0x1000, weight));
  REQUIRE(live->Reserve(4096));
  REQUIRE(live->Add(0x1000, 5));
  CHECK(live->MayHave(0x1000));
  CHECK_FALSE(live->Take(0x2000, weight));
  CHECK(live->Take(0x1000, weight));
  CHECK(weight == 5);
  CHECK_FALSE(live->MayHave(0x1000));
  CHECK_FALSE(live->Take(0x1000, weight));
}

TEST_CASE("a full table refuses, and has room again after a free") {
  const auto live = std::make_unique<LiveAllocations>();
  REQUIRE(live->Reserve(4096));
  std::vector<uintptr_t> added, refused;
  for (uintptr_t address = 16; address <= 16 * 8192; address += 16) {
    (live->Add(address, 1) ? added : refused).push_back(address);
  }
  CHECK(added.size() <= 4096);
  CHECK(added.size() > 3000);
  CHECK(refused.size() + added.size() == 8192);
  int64_t weight = 0;
  for (const uintptr_t address : added) REQUIRE(live->Take(address, weight));
  for (const uintptr_t address : refused) REQUIRE_FALSE(live->Take(address, weight));
  CHECK(live->Add(refused.front(), 1));
}

TEST_CASE("a marked address may always be there") {
  const auto live = std::make_unique<LiveAllocations>();
  REQUIRE(live->Reserve(4096));
  live->Mark(0x5000);
  int64_t weight = 0;
  REQUIRE(live->Add(0x5000, 1));
  REQUIRE(live->Take(0x5000, weight));
  CHECK(live->MayHave(0x5000));
}

TEST_CASE("threads add and take their own blocks at the same time") {
  const auto live = std::make_unique<LiveAllocations>();
  REQUIRE(live->Reserve(size_t{1} << 16));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uintptr_t number = 1; number <= 4; ++number) {
    threads.emplace_back([&live, &wrong, number] {
      for (int64_t round = 0; round < 200; ++round) {
        std::vector<uintptr_t> held;
        for (uintptr_t i = 0; i < 200; ++i) {
          const uintptr_t address = number << 32 | i << 4;
          if (live->Add(address, round)) held.push_back(address);
        }
        for (const uintptr_t address : held) {
          int64_t weight = -1;
          if (!live->MayHave(address) || !live->Take(address, weight) || weight != round) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("the child of a fork has none of its parent's blocks") {
  const auto live = std::make_unique<LiveAllocations>();
  REQUIRE(live->Reserve(4096));
  REQUIRE(live->Add(0x1000, 5));
  const pid_t child = fork();
  if (child == 0) {
    int64_t weight = 0;
    _exit(live->Take(0x1000, weight) ? 1 : live->Add(0x1000, 6) && live->Take(0x1000, weight) && weight == 6 ? 0 : 2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  int64_t weight = 0;
  CHECK(live->Take(0x1000, weight));
}

}  // namespace
}  // namespace geckoprof
