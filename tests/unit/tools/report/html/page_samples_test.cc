#include "tools/report/html/page_samples.h"

#include <catch2/catch.hpp>

#include "page_model.h"

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

}  // namespace
}  // namespace geckoprof
