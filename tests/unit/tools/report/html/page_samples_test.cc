#include "tools/report/html/page_samples.h"

#include <catch2/catch.hpp>

#include "page_model.h"
#include "tools/profile/wait_times.h"

namespace geckoprof {
namespace {

PageSamples Samples(const ProfileModel& model, size_t most_entries) {
  return PageSamples(model, PageTree(model, StackImportance(model), 100), most_entries);
}

TEST_CASE("rows that ran and idle ones are apart, in order of time") {
  ProfileModel model = PageModel();
  model.threads[0].samples = {PageSample(1, 3, 9000), PageSample(4, 3), PageSample(3, 5), PageSample(2, 5, 0)};
  const PageSamples samples = Samples(model, 100);
  REQUIRE(samples.threads.size() == 1);
  const auto& [active, idle] = samples.threads[0];
  REQUIRE(active.size() == 3);
  CHECK(active[0].cpu_ns == 0);  // what was used before the recording
  CHECK(active[1].time_ms == 3);
  CHECK(active[1].cpu_ns == 1000);
  CHECK(active[2].time_ms == 4);
  REQUIRE(idle.size() == 1);
  CHECK(idle[0].time_ms == 2);
  CHECK(samples.rows == 4);
  CHECK(samples.slot_ms == 0);

  model.threads[0].starts_later = true;  // the first one is not the thread's first
  CHECK(Samples(model, 100).threads[0].active[0].cpu_ns == 9000);
}

TEST_CASE("too many samples are put together, and sums stay") {
  ProfileModel model = PageModel();
  for (int i = 0; i < 200'000; ++i) model.threads[0].samples.push_back(PageSample(i, i % 2 == 0 ? 3 : 5));
  const PageSamples samples = Samples(model, 10'000);
  CHECK(samples.rows == 200'000);
  CHECK(samples.slot_ms > 0);
  const std::vector<PageSamples::Entry>& active = samples.threads[0].active;
  CHECK(active.size() <= 10'000);
  double weight = 0;
  int64_t cpu_ns = 0;
  for (const PageSamples::Entry& entry : active) {
    weight += entry.weight;
    cpu_ns += entry.cpu_ns;
    CHECK(entry.time_ms >= 0);
    if (entry.time_ms > 200'000 + samples.slot_ms) FAIL("outside of the recording");
  }
  CHECK(weight == 200'000);
  CHECK(cpu_ns == 199'999 * 1000);
  // A slot's samples are less than a slot away from where they were.
  CHECK(std::abs(active[0].time_ms - samples.slot_ms / 2) < 1e-9);
}

TEST_CASE("a time that does not pass cannot be cut") {
  ProfileModel model = PageModel();
  for (int i = 0; i < 100; ++i) model.threads[0].samples.push_back(PageSample(5, 3));
  CHECK(Samples(model, 10).threads[0].active.size() == 100);
}

TEST_CASE("a time so long that it has no length is survived") {
  ProfileModel model = PageModel();
  for (int i = 0; i < 100; ++i) model.threads[0].samples.push_back(PageSample(i == 0 ? -1.7e308 : 1.7e308, 3));
  CHECK(!Samples(model, 10).threads[0].active.empty());
}

TEST_CASE("weights of either sign make a stack important") {
  ProfileModel model = PageModel();
  model.threads[0].samples = {PageSample(1, 3), PageSample(2, 3), PageSample(3, kNoRow)};
  model.threads[0].samples[1].weight = -4;
  CHECK(StackImportance(model) == std::vector<double>{0, 0, 0, 5, 0, 0});
}

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
