#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// `count` counters of a program, each with what was written of it.
struct Counters {
  Counters(TestSegment& test, size_t count) : samples(&test.segment()), writer(&samples), values(count) {
    test.segment().header().interval_ns = kMs;
    written.resize(count);
    MetadataWriter metadata(&test.segment());
    for (uint32_t i = 0; i < count; ++i) {
      CounterDefinition definition;
      definition.id = i + 1;
      definition.flags = kCounterHasNumber;
      definition.since_ns = kMs;
      definition.name = "counter";
      metadata.Counter(definition);
    }
  }
  void Tick(int64_t time_ns) {
    samples.BeginTick(time_ns);
    for (int tries = 0; tries < 2; ++tries) {
      writer.Begin();
      for (uint32_t i = 0; i < values.size(); ++i) writer.Add(i + 1, values[i], written[i]);
      if (writer.End()) return;
    }
  }
  void Add(size_t counter, int64_t count) {
    values[counter].count += count;
    ++values[counter].number;
  }

  SampleWriter samples;
  CounterWriter writer;
  std::vector<CounterWriter::Value> values{};
  std::vector<CounterWriter::Written> written;
};

struct Sums {
  int64_t count = 0, number = 0;
};
Sums SumOf(const CounterRow& counter) {
  Sums sums;
  for (const CounterSample& sample : counter.samples) {
    sums.count += sample.count;
    sums.number += sample.number;
  }
  return sums;
}

TEST_CASE("a change comes back with its tick") {
  TestSegment test;
  Counters counters(test, 2);
  for (auto& value : counters.values) value.has_number = true;
  counters.Add(0, 1'000'000);
  counters.Tick(10 * kMs);
  counters.Add(0, -999);
  counters.Add(1, 5);
  counters.Tick(11 * kMs);
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.counters.size() == 2);
  CHECK(SumOf(profile.counters[0]).count == 999'001);
  CHECK(SumOf(profile.counters[0]).number == 2);
  size_t changes = 0;
  for (const CounterSample& sample : profile.counters[1].samples) {
    if (sample.count == 0) continue;
    ++changes;
    CHECK(sample.time_ns == 11 * kMs);
    CHECK(sample.count == 5);
    CHECK(sample.number == 1);
  }
  CHECK(changes == 1);
}

TEST_CASE("a change costs few bytes, and none without one") {
  TestSegment test;
  Counters counters(test, 1);
  counters.values[0].has_number = true;
  counters.Add(0, int64_t{1} << 40);
  counters.Tick(10 * kMs);
  const auto bytes = [&] { return test.segment().header().sampler_bytes.load(); };
  const uint64_t before = bytes();
  for (int64_t i = 0; i < 100; ++i) {
    counters.Add(0, 4096);
    counters.Tick((11 + i) * kMs);
  }
  CHECK(bytes() - before <= 100 * (8 + 7));  // a tick of its own among them
  const uint64_t after = bytes();
  for (int64_t i = 0; i < 100; ++i) counters.Tick((111 + i) * kMs);
  CHECK(bytes() == after);
}

TEST_CASE("sums are right though the chunks that had them are gone") {
  TestSegment test(uint64_t{1} << 20, 4, TestSegment::Size::kPreparedOnly);
  Counters counters(test, 3);
  for (auto& value : counters.values) value.has_number = true;
  counters.Add(2, 77);  // never again
  const uint64_t enough = 10 * uint64_t{test.segment().chunk_bytes()};
  int64_t tick = 10;
  for (; test.segment().header().sampler_bytes.load() < enough; ++tick) {
    counters.Add(0, tick);
    if (tick % 3 == 0) counters.Add(1, -1'000'000);
    counters.Tick(tick * kMs);
  }
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.counters.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(SumOf(profile.counters[i]).count == counters.values[i].count);
    CHECK(SumOf(profile.counters[i]).number == counters.values[i].number);
  }
}

TEST_CASE("hundreds of counters are written over the end of a chunk") {
  TestSegment test(uint64_t{2} << 20, 16);
  Counters counters(test, 512);
  for (auto& value : counters.values) value.has_number = true;
  for (int64_t tick = 1; tick < 60; ++tick) {
    for (size_t i = 0; i < counters.values.size(); ++i) counters.Add(i, tick * static_cast<int64_t>(i));
    counters.Tick((10 + tick) * kMs);
  }
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.counters.size() == 512);
  for (size_t i = 0; i < 512; ++i) {
    CHECK(SumOf(profile.counters[i]).count == counters.values[i].count);
    CHECK(SumOf(profile.counters[i]).number == 59);
  }
}

}  // namespace
}  // namespace geckoprof
