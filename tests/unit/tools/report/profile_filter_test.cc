#include "tools/report/profile_filter.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

// Thread Main of process 10 runs main > work, Worker of 20 main alone.
ProfileModel Demo() {
  ProfileModel model;
  model.strings = {"main", "work", "Request", "Tick", "HttpType"};
  model.functions = {{0, kNoRow}, {1, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}, {0, 1, kNoRow}};
  model.processes = {{"10", "", 0}, {"20", "", 0}};
  model.duration_ms = 20;
  model.marker_data = {{4, kNoRow, 0, 0}};
  ProfileThread main;
  main.name = "Main";
  for (int i = 0; i < 10; ++i) main.samples.push_back({static_cast<double>(i), 1, 100, i % 2});
  main.markers = {{2, Phase::kIntervalStart, 2, 0},
                  {3, Phase::kInstant, 3, 0},
                  {2, Phase::kIntervalEnd, 0, 4},
                  {3, Phase::kInterval, 4, 6},
                  {3, Phase::kInterval, 8, 9, kNoRow, 0}};
  ProfileThread worker;
  worker.process = 1;
  worker.name = "Worker";
  worker.samples = {{1, 1, 5, 0}, {2, 1, 5, kNoRow}};
  model.threads = {main, worker};
  ProfileCounter counter;
  counter.process = 1;
  counter.total = 7;
  counter.rows = {{1, 100, 1}, {3, 3, 1}, {5, 4, 2}};
  model.counters = {counter};
  return model;
}

std::vector<double> Times(const ProfileThread& thread) {
  std::vector<double> times;
  for (const ProfileSample& sample : thread.samples) times.push_back(sample.time_ms);
  return times;
}

TEST_CASE("threads and processes") {
  ProfileModel model = Demo();
  ProfileFilter filter;
  filter.thread = "WORK";
  FilterProfile(filter, &model);
  REQUIRE(model.threads.size() == 1);
  CHECK(model.threads[0].name == "Worker");
  CHECK_FALSE(model.threads[0].starts_later);
  model = Demo();
  filter = {};
  filter.process = "10";
  FilterProfile(filter, &model);
  REQUIRE(model.threads.size() == 1);
  CHECK(model.counters.empty());
  filter.thread = "work";
  FilterProfile(filter, &model);
  CHECK(model.threads.empty());
}

TEST_CASE("a range of time: a wait counts with its part in it") {
  ProfileModel model = Demo();
  ProfileSample wait{10, 90, 0, 0, SampleState::kWaiting, WaitCause::kSleep};
  wait.ready_ns = wait.short_wait_ns = 1000;
  wait.wait_ns = 90'000'000;
  ProfileThread& thread = model.threads[0];
  thread.samples.push_back(wait);
  wait.time_ms = 100;
  wait.weight = 1;
  wait.wait_ns = 1'000'000;
  thread.samples.push_back(wait);
  ProfileFilter filter;
  filter.from_ms = 40;
  SECTION("from its middle on") {
    FilterProfile(filter, &model);
    REQUIRE(Times(thread) == std::vector<double>{40, 100});
    CHECK(thread.samples[0].weight == Approx(60));
    CHECK(thread.samples[0].wait_ns == 60'000'000);
    CHECK(thread.samples[0].ready_ns == 0);
    CHECK(thread.samples[0].short_wait_ns == 0);
    CHECK(thread.samples[1].wait_ns == 1'000'000);
  }
  SECTION("a part of it") {
    filter.to_ms = 70;
    FilterProfile(filter, &model);
    REQUIRE(Times(thread) == std::vector<double>{40});
    CHECK(thread.samples[0].weight == Approx(30));
    CHECK(thread.samples[0].wait_ns == 30'000'000);
  }
  SECTION("from its end on") {
    filter.from_ms = 100;
    filter.to_ms = 100.25;
    FilterProfile(filter, &model);
    REQUIRE(Times(thread) == std::vector<double>{100});
    CHECK(thread.samples[0].weight == 1);
    CHECK(thread.samples[0].wait_ns == 250'000);
    CHECK(thread.samples[0].ready_ns == 1000);
  }
}

TEST_CASE("a range of time: samples in it, markers that reach into it, rows of counters in it") {
  ProfileModel model = Demo();
  ProfileFilter filter;
  filter.from_ms = 3;
  filter.to_ms = 5;
  FilterProfile(filter, &model);
  CHECK(Times(model.threads[0]) == std::vector<double>{3, 4});
  CHECK(model.threads[0].starts_later);
  REQUIRE(model.threads[0].markers.size() == 3);
  CHECK(model.threads[0].markers[0].phase == Phase::kInterval);
  CHECK(model.threads[0].markers[0].start_ms == 2);
  CHECK(model.threads[0].markers[0].end_ms == 4);
  CHECK(model.threads[0].markers[2].start_ms == 4);
  CHECK(model.duration_ms == 2);
  CHECK(model.counters[0].total == 3);
  CHECK(model.counters[0].peak == 103);  // with what there was before
}

TEST_CASE("a function: samples with it anywhere in their stack") {
  ProfileModel model = Demo();
  ProfileFilter filter;
  filter.function = "WOR";
  FilterProfile(filter, &model);
  CHECK(Times(model.threads[0]) == std::vector<double>{1, 3, 5, 7, 9});
  CHECK(model.threads[1].samples.empty());
  filter.function = "main";
  model = Demo();
  FilterProfile(filter, &model);
  CHECK(model.threads[0].samples.size() == 10);
  CHECK(model.threads[1].samples.size() == 1);
}

TEST_CASE("a marker by its name or type: samples during it, of its thread") {
  ProfileModel model = Demo();
  ProfileFilter filter;
  filter.marker = "request";
  FilterProfile(filter, &model);
  CHECK(model.threads[0].markers.size() == 1);
  CHECK(Times(model.threads[0]) == std::vector<double>{2, 3});
  CHECK(model.threads[1].samples.empty());
  model = Demo();
  filter.marker = "http";
  FilterProfile(filter, &model);
  CHECK(Times(model.threads[0]) == std::vector<double>{8});
}

TEST_CASE("a marker without an end is open for as long as its thread has samples") {
  ProfileModel model = Demo();
  model.threads[0].markers = {{2, Phase::kIntervalStart, 6, 0}, {3, Phase::kIntervalEnd, 0, 3}};
  const ProfileModel open = model;
  ProfileFilter filter;
  filter.marker = "request";
  FilterProfile(filter, &model);
  CHECK(Times(model.threads[0]) == std::vector<double>{6, 7, 8, 9});
  REQUIRE(model.threads[0].markers.size() == 1);
  CHECK(model.threads[0].markers[0].phase == Phase::kIntervalStart);
  model = open;
  filter.from_ms = 8;
  FilterProfile(filter, &model);
  CHECK(Times(model.threads[0]) == std::vector<double>{8, 9});
  CHECK(model.threads[0].markers.size() == 1);
  model = open;
  filter.from_ms = 0;
  filter.to_ms = 6;
  FilterProfile(filter, &model);
  CHECK(model.threads[0].samples.empty());
  CHECK(model.threads[0].markers.empty());
}

TEST_CASE("filters together must all hold") {
  ProfileModel model = Demo();
  ProfileFilter filter;
  filter.marker = "tick";
  filter.function = "work";
  filter.from_ms = 5;
  FilterProfile(filter, &model);
  CHECK(Times(model.threads[0]) == std::vector<double>{5});
}

TEST_CASE("times as people write them") {
  CHECK(ParseTimeMs("1500") == 1500);
  CHECK(ParseTimeMs("1.5s") == 1500);
  CHECK(ParseTimeMs("0ms") == 0);
  for (const char* text : {"", "s", "-1", "1m", "nan", "inf", "1e999", "1 s", "9999999999999999999s"}) {
    INFO(text);
    CHECK_FALSE(ParseTimeMs(text).has_value());
  }
}

TEST_CASE("the time that is left of a recording that began later") {
  const auto left = [](std::optional<double> from_ms, std::optional<double> to_ms) {
    ProfileModel model = Demo();
    model.begin_ms = 5;
    ProfileFilter filter;
    filter.from_ms = from_ms;
    filter.to_ms = to_ms;
    FilterProfile(filter, &model);
    return model.duration_ms;
  };
  CHECK(left({}, {}) == 20);
  CHECK(left(0, {}) == 20);
  CHECK(left(7, {}) == 18);
  CHECK(left({}, 8) == 3);
  CHECK(left(8, 1'000) == 17);
  CHECK(left({}, 3) == 0);
}

}  // namespace
}  // namespace geckoprof
