#include "tools/report/html/page_waits.h"

#include <catch2/catch.hpp>

#include "page_model.h"
#include "tools/profile/wait_times.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// A thread that waits for 0.5 ms in each ms, at two stacks in turn.
ProfileModel Waiting(int waits) {
  ProfileModel model = PageModel();
  ProfileThread& thread = model.threads[0];
  thread.has_states = true;
  thread.samples = {PageSample(0, 3)};
  for (int i = 0; i < waits; ++i) {
    ProfileSample wait = PageSample(i, i % 2 == 0 ? 3 : 5, 0);
    wait.state = SampleState::kWaiting;
    wait.cause = WaitCause::kPoll;
    thread.samples.push_back(wait);
    thread.samples.push_back(PageSample(i + 1, 3, kMs / 2));
  }
  CompleteWaits(&model);
  return model;
}

TEST_CASE("each wait is an entry of its thread, in order of time") {
  const PageWaits waits(Waiting(2), 100);
  REQUIRE(waits.rows.size() == 2);
  CHECK(waits.waits == 2);
  CHECK(waits.slot_ms == 0);
  REQUIRE(waits.threads.size() == 1);
  REQUIRE(waits.threads[0].size() == 2);
  const PageWaits::Entry& second = waits.threads[0][1];
  CHECK(second.begin_ms == 1);
  CHECK(second.ns == kMs / 2);
  CHECK(second.waits == 1);
  CHECK(second.longest_ns == kMs / 2);
  CHECK(waits.rows[second.row].cause == WaitCause::kPoll);
}

TEST_CASE("too many waits are put together, and sums stay") {
  constexpr int kWaits = 200'000;
  const PageWaits waits(Waiting(kWaits), 10'000);
  CHECK(waits.slot_ms > 0);
  CHECK(waits.waits == kWaits);
  CHECK(waits.threads[0].size() <= 10'000);
  CHECK(waits.threads[0].size() > 100);
  int64_t count = 0, ns = 0;
  double before_ms = -1;
  for (const PageWaits::Entry& entry : waits.threads[0]) {
    count += entry.waits;
    ns += entry.ns;
    CHECK(entry.longest_ns == kMs / 2);
    if (entry.begin_ms < before_ms) FAIL("not in order");
    before_ms = entry.begin_ms;
  }
  CHECK(count == kWaits);
  CHECK(ns == kWaits * (kMs / 2));
}

}  // namespace
}  // namespace geckoprof
