#include "markers/pending_marker_stacks.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "markers/new_pending_marker_stacks.h"

namespace geckoprof {
namespace {

using Taken = std::vector<uint64_t>;

Taken Drain(PendingMarkerStacks& stacks) {
  Taken ids;
  stacks.Drain([](void* context, uint64_t id, const CaptureBuffer&) { static_cast<Taken*>(context)->push_back(id); },
               &ids);
  return ids;
}

TEST_CASE("a copy that was published is drained once, under the id that was given for it") {
  PendingMarkerStacks& stacks = NewMarkerStacks();
  SamplerSleep word{};
  CHECK_FALSE(stacks.AnyPublished());
  CaptureBuffer* const first = stacks.Acquire();
  CaptureBuffer* const second = stacks.Acquire();
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(first != second);
  CHECK(first->capacity_bytes == PendingMarkerStacks::kCopyBytes);
  CHECK_FALSE(stacks.AnyPublished());  // nobody has filled them yet
  CHECK(Drain(stacks).empty());
  const uint64_t id = PendingMarkerStacks::IdOf(*second);
  stacks.Publish(second, word);
  CHECK(id != 0);
  CHECK(stacks.AnyPublished());
  CHECK(Drain(stacks) == Taken{id});
  CHECK_FALSE(stacks.AnyPublished());
  CHECK(stacks.Acquire() == second);
  CHECK(PendingMarkerStacks::IdOf(*second) != id);  // it is not used twice
  const uint64_t first_id = PendingMarkerStacks::IdOf(*first);
  CHECK(first_id != id);
  stacks.Publish(first, word);
  CHECK(Drain(stacks) == Taken{first_id});
}

TEST_CASE("there is a limit, and nobody waits at it") {
  PendingMarkerStacks& stacks = NewMarkerStacks();
  SamplerSleep word{};
  std::vector<CaptureBuffer*> taken;
  while (CaptureBuffer* const buffer = stacks.Acquire()) taken.push_back(buffer);
  CHECK(taken.size() == PendingMarkerStacks::kBuffers);
  CHECK(stacks.Acquire() == nullptr);
  for (CaptureBuffer* const buffer : taken) stacks.Publish(buffer, word);
  CHECK(Drain(stacks).size() == PendingMarkerStacks::kBuffers);
  CHECK(stacks.Acquire() != nullptr);
}

TEST_CASE("who waits for the sampler goes on when it has taken a copy, and not in vain for ever") {
  PendingMarkerStacks& stacks = NewMarkerStacks();
  CHECK_FALSE(stacks.WaitForSampler());  // it never comes
  std::atomic<bool> ends{false};
  std::thread sampler([&] {
    SamplerSleep word{};
    while (!ends) {
      stacks.Publish(stacks.Acquire(), word);
      Drain(stacks);
    }
  });
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool came = false;
  while (!came && std::chrono::steady_clock::now() < give_up) came = stacks.WaitForSampler();
  CHECK(came);
  ends = true;
  sampler.join();
}

TEST_CASE("in a forked child all are free") {
  PendingMarkerStacks& stacks = NewMarkerStacks();
  SamplerSleep word{};
  stacks.Publish(stacks.Acquire(), word);
  while (stacks.Acquire() != nullptr) {
  }
  stacks.AfterForkInChild();
  CHECK_FALSE(stacks.AnyPublished());
  CHECK(stacks.Acquire() != nullptr);
}

TEST_CASE("many threads at once, and one who drains: each copy once") {
  PendingMarkerStacks& stacks = NewMarkerStacks();
  SamplerSleep word{};
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  std::atomic<int> done{0};
  std::vector<std::vector<uint64_t>> published(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        CaptureBuffer* const buffer = stacks.Acquire();
        if (buffer == nullptr) continue;
        buffer->tid = t;
        published[static_cast<size_t>(t)].push_back(PendingMarkerStacks::IdOf(*buffer));
        stacks.Publish(buffer, word);
      }
      ++done;
    });
  }
  std::set<uint64_t> drained;
  size_t twice = 0;
  while (done.load() < kThreads || stacks.AnyPublished()) {
    for (const uint64_t id : Drain(stacks)) twice += drained.insert(id).second ? 0 : 1;
  }
  for (std::thread& thread : threads) thread.join();
  size_t count = 0;
  size_t lost = 0;
  for (const auto& ids : published) {
    count += ids.size();
    for (const uint64_t id : ids) lost += drained.count(id) == 0 ? 1 : 0;
  }
  CHECK(count > 0);
  CHECK(lost == 0);
  CHECK(twice == 0);
  CHECK(drained.size() == count);
}

TEST_CASE("rules hold for as many unloads as the sampler has seen; frames of the library are known") {
  PendingMarkerStacks& stacks = NewMarkerStacks();
  stacks.SetRulesFor(3);
  CHECK(stacks.HasRulesFor(3));
  CHECK_FALSE(stacks.HasRulesFor(4));
  CHECK_FALSE(stacks.OwnCode().Contains(0x1000));
  stacks.SetOwnCode({0x1000, 0x2000});
  CHECK(stacks.OwnCode().Contains(0x1000));
  CHECK_FALSE(stacks.OwnCode().Contains(0x2000));
}

}  // namespace
}  // namespace geckoprof
