#include "counters/counter_sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "geckoprof/base/clock.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Recording {
  Recording() {
    test.segment().header().created_ns = MonotonicNs();
    test.segment().header().interval_ns = kMs;
  }
  void Tick() {
    now_ns += kMs;
    samples.BeginTick(now_ns);
    sampler.Read(now_ns);
    test.segment().header().heartbeat_ns.store(now_ns, std::memory_order_relaxed);
  }
  geckoprof_counter* Make(CounterTable& from, const char* name) const {
    const geckoprof_counter_description description = {
        sizeof description, GECKOPROF_COUNTER_HAS_NUMBER, name, "Memory", "d", "bytes", nullptr};
    return from.Create(&description, true);
  }

  std::unique_ptr<CounterTable> owned = std::make_unique<CounterTable>();
  CounterTable& table = *owned;
  TestSegment test;
  int64_t now_ns = MonotonicNs() + 100 * kMs;
  MetadataWriter metadata{&test.segment()};
  SampleWriter samples{&test.segment()};
  CounterSampler sampler{&table, &test.segment(), &metadata, &samples};
};

int64_t Total(const CounterRow& counter) {
  int64_t total = 0;
  for (const CounterSample& sample : counter.samples) total += sample.count;
  return total;
}

TEST_CASE("a counter made in the recording begins at nothing, one made before with what it has") {
  auto table = std::make_unique<CounterTable>();
  TestSegment test;
  const geckoprof_counter_description description = {
      sizeof description, GECKOPROF_COUNTER_HAS_NUMBER, "older", "Memory", "d", "bytes", "red"};
  geckoprof_counter* const older = table->Create(&description, true);
  geckoprof_base_counter_add(older, 40);
  test.segment().header().created_ns = MonotonicNs() + 1;
  test.segment().header().interval_ns = kMs;
  MetadataWriter metadata(&test.segment());
  SampleWriter samples(&test.segment());
  CounterSampler sampler(table.get(), &test.segment(), &metadata, &samples);
  const int64_t tick_ns = MonotonicNs() + kMs;
  samples.BeginTick(tick_ns);
  sampler.Read(tick_ns);
  geckoprof_base_counter_add(older, 2);
  samples.BeginTick(tick_ns + kMs);
  sampler.Read(tick_ns + kMs);
  test.segment().header().heartbeat_ns = tick_ns + kMs;
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.counters.size() == 1);
  const CounterRow& counter = profile.counters[0];
  CHECK(counter.since_ns == tick_ns);
  CHECK(counter.name == "older");
  CHECK(counter.unit == "bytes");
  CHECK(counter.color == "red");
  CHECK(counter.has_number);
  CHECK_FALSE(counter.is_rate);
  REQUIRE(counter.samples.size() >= 2);
  CHECK(counter.samples[0].count == 40);
  CHECK(counter.samples[1].count == 2);
  CHECK(counter.samples[1].number == 1);
}

TEST_CASE("counters that did not change cost no bytes") {
  Recording recording;
  geckoprof_counter* const counter = recording.Make(recording.table, "still");
  geckoprof_base_counter_add(counter, 7);
  recording.Tick();
  const auto bytes = [&] { return recording.test.segment().header().sampler_bytes.load(); };
  const uint64_t before = bytes();
  for (int i = 0; i < 50; ++i) recording.Tick();
  CHECK(bytes() == before);
  geckoprof_base_counter_add(counter, 1);
  recording.Tick();
  CHECK(bytes() > before);
  CHECK(Total(ReadBack(recording.test).counters.at(0)) == 8);
}

TEST_CASE("a counter that lived between two ticks is there, with all it counted") {
  Recording recording;
  recording.Tick();
  geckoprof_counter* const counter = recording.Make(recording.table, "short");
  geckoprof_base_counter_add(counter, 123);
  recording.table.Destroy(counter);
  geckoprof_base_counter_add(counter, 1000);
  recording.Tick();
  recording.Tick();
  const ProcessProfile profile = ReadBack(recording.test);
  REQUIRE(profile.counters.size() == 1);
  CHECK(profile.counters[0].ended_ns >= profile.counters[0].since_ns);
  CHECK(Total(profile.counters[0]) == 123);
}

TEST_CASE("counters that were refused are counted once, before the recording or in it") {
  Recording recording;
  const auto fill = [&](uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) recording.Make(recording.table, "many");
  };
  fill(CounterTable::kMaxCounters + 3);
  recording.Tick();
  CHECK(recording.test.drops(DropReason::kCounter) == 3);
  recording.Tick();
  CHECK(recording.test.drops(DropReason::kCounter) == 3);
  fill(2);
  recording.Tick();
  CHECK(recording.test.drops(DropReason::kCounter) == 5);
}

TEST_CASE("a colour that the viewer does not have and a text that is cut are counted, once in a recording") {
  Recording recording;
  const std::string category(48, 'c');
  geckoprof_counter_description description = {sizeof description, 0, "coloured", category.c_str(), "d", "bytes",
                                               "no color"};
  recording.table.Create(&description, true);
  description.category = "Memory";
  description.color = "teal";
  recording.table.Create(&description, true);
  recording.Tick();
  recording.Tick();
  CHECK(recording.test.drops(DropReason::kTextCut) == 1);
  const ProcessProfile profile = ReadBack(recording.test);
  REQUIRE(profile.counters.size() == 2);
  CHECK((profile.counters[0].color.empty() && profile.counters[1].color == "teal"));
  const auto is_color = [](const LossRow& loss) { return loss.what == "counter-color" && loss.count == 1; };
  CHECK(std::any_of(profile.losses.begin(), profile.losses.end(), is_color));
}

TEST_CASE("what was destroyed before the recording is not in it") {
  Recording recording;
  recording.table.Destroy(recording.Make(recording.table, "former"));
  recording.test.segment().header().created_ns = MonotonicNs() + 1;
  CounterSampler later(&recording.table, &recording.test.segment(), &recording.metadata, &recording.samples);
  later.Read(recording.now_ns);
  CHECK(ReadBack(recording.test).counters.empty());
}

TEST_CASE("in the child of a fork a counter begins with what it had then") {
  Recording recording;
  geckoprof_counter* const counter = recording.Make(recording.table, "inherited");
  geckoprof_base_counter_add(counter, 30);
  recording.table.AfterForkInChild();
  geckoprof_base_counter_add(counter, 4);
  TestSegment test;
  test.segment().header().created_ns = test.segment().header().constructor_ns = MonotonicNs() + 1;
  MetadataWriter metadata(&test.segment());
  SampleWriter samples(&test.segment());
  CounterSampler sampler(&recording.table, &test.segment(), &metadata, &samples);
  samples.BeginTick(recording.now_ns);
  sampler.Read(recording.now_ns);
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.counters.size() == 1);
  CHECK(profile.counters[0].samples.front().count == 30);
  CHECK(profile.counters[0].samples.front().number == 1);
  CHECK(Total(profile.counters[0]) == 34);
  CHECK(profile.counters[0].since_ns == test.segment().header().constructor_ns);
}

TEST_CASE("each of two recordings describes a counter for itself") {
  Recording first;
  geckoprof_counter* const counter = first.Make(first.table, "both");
  geckoprof_base_counter_add(counter, 3);
  first.Tick();
  TestSegment test;
  test.segment().header().created_ns = MonotonicNs() + 1;
  MetadataWriter metadata(&test.segment());
  SampleWriter samples(&test.segment());
  CounterSampler sampler(&first.table, &test.segment(), &metadata, &samples);
  samples.BeginTick(first.now_ns);
  sampler.Read(first.now_ns);
  CHECK(ReadBack(first.test).counters.size() == 1);
  REQUIRE(ReadBack(test).counters.size() == 1);
  CHECK(ReadBack(test).counters[0].samples[0].count == 3);
}

}  // namespace
}  // namespace geckoprof
