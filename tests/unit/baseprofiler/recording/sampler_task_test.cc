#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "recording/sampler_control.h"

namespace geckoprof {
namespace {

constexpr int64_t kLongNs = 10'000'000'000;

void Count(void* argument) { static_cast<std::atomic<int>*>(argument)->fetch_add(1); }

TEST_CASE("a request is run once, by the sampler, before the requester goes on") {
  SamplerTask boundary;
  std::atomic<int> runs{0};
  std::atomic<bool> stop{false};
  std::thread sampler([&] {
    while (!stop) boundary.RunPending();
  });
  const SamplerTask::Request request{&Count, &runs};
  for (int i = 1; i <= 100; ++i) {
    boundary.Post(request);
    REQUIRE(boundary.Wait(kLongNs));
    REQUIRE(runs == i);
  }
  stop = true;
  sampler.join();
}

TEST_CASE("what was taken back is never run") {
  SamplerTask boundary;
  std::atomic<int> runs{0};
  const SamplerTask::Request request{&Count, &runs};
  boundary.Post(request);
  CHECK_FALSE(boundary.Wait(1'000'000));
  CHECK(boundary.Retract());
  boundary.RunPending();
  CHECK(runs == 0);
  CHECK_FALSE(boundary.Retract());
}

TEST_CASE("of a requester that gives up and a sampler that takes exactly one has the request") {
  SamplerTask boundary;
  std::atomic<int> runs{0};
  std::atomic<bool> stop{false};
  std::thread sampler([&] {
    while (!stop) boundary.RunPending();
  });
  int retracted = 0;
  constexpr int kRounds = 20'000;
  for (int i = 0; i < kRounds; ++i) {
    const SamplerTask::Request request{&Count, &runs};
    boundary.Post(request);
    if (boundary.Retract()) {
      ++retracted;
    } else {
      REQUIRE(boundary.Wait(kLongNs));
    }
    REQUIRE(runs + retracted == i + 1);
  }
  stop = true;
  sampler.join();
}

}  // namespace
}  // namespace geckoprof
