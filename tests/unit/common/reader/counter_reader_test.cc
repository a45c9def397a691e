#include "counter_reader.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

#include "geckoprof/entries/entry_builder.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 1'000 * kMs;

struct Reading {
  Reading() {
    profile.interval_ns = kMs;
    profile.end_ns = kStart + 100 * kMs;
  }
  bool Define(uint64_t id, int64_t count = 0, uint64_t flags = kCounterHasNumber, int64_t since_ns = kStart,
              std::string_view unit = "bytes") {
    EntryBuilder entry(EntryType::kCounter, room);
    entry.U(id).U(flags).U(static_cast<uint64_t>(since_ns)).Z(count).Z(0).T("name").T("Memory").T("d").T(unit).T("");
    Leb128Reader fields(entry.bytes().subspan(1));
    return reader.ReadDefinition(fields);
  }
  bool End(uint64_t id, int64_t time_ns, int64_t count, int64_t number) {
    EntryBuilder entry(EntryType::kCounterEnd, room);
    entry.U(id).U(static_cast<uint64_t>(time_ns)).Z(count).Z(number);
    Leb128Reader fields(entry.bytes().subspan(1));
    return reader.ReadEnd(fields);
  }
  void Change(uint64_t id, int64_t tick, int64_t count, int64_t number, uint64_t flags = kCounterSampleHasNumber) {
    EntryBuilder entry(EntryType::kCounterSample, room);
    entry.U(id << 2 | flags).Z(count).Z(number);
    Leb128Reader fields(entry.bytes().subspan(1));
    reader.ReadSamples(fields, kStart + tick * kMs, static_cast<uint64_t>(tick));
  }
  // Rows as "ms since the start: count".
  std::vector<std::pair<int64_t, int64_t>> Rows(size_t counter = 0) const {
    std::vector<std::pair<int64_t, int64_t>> rows;
    for (const CounterSample& sample : profile.counters.at(counter).samples) {
      rows.emplace_back((sample.time_ns - kStart) / kMs, sample.count);
    }
    return rows;
  }

  ProcessProfile profile;
  CounterReader reader{&profile};
  uint8_t room[256] = {};
};

using Rows = std::vector<std::pair<int64_t, int64_t>>;

TEST_CASE("of a run without changes the first and the last row are there") {
  Reading reading;
  REQUIRE(reading.Define(1, 500));
  reading.Change(1, 1, 10, 1);
  reading.Change(1, 2, 20, 1);
  reading.Change(1, 4, 30, 1);   // one tick without
  reading.Change(1, 9, 40, 1);   // four
  reading.Change(1, 10, -5, 1);  // none
  reading.reader.Finish();
  CHECK(
      reading.Rows() ==
      Rows{{0, 500}, {1, 10}, {2, 20}, {3, 0}, {4, 30}, {5, 0}, {8, 0}, {9, 40}, {10, -5}, {11, 0}, {99, 0}, {100, 0}});
}

TEST_CASE("a time in ns is one in ms, with its fractions") {
  Reading reading;
  REQUIRE(reading.Define(1, 0, 0, kStart, "ns"));
  REQUIRE(reading.Define(2));
  CHECK(reading.profile.counters[0].unit == "ms");
  CHECK(reading.profile.counters[0].parts == kMs);
  CHECK(reading.profile.counters[1].unit == "bytes");
  CHECK(reading.profile.counters[1].parts == 1);
}

TEST_CASE("a whole value says what was added since the last one known") {
  Reading reading;
  REQUIRE(reading.Define(1, 500));
  reading.Change(1, 1, 10, 1);
  reading.Change(1, 50, 900, 30, kCounterSampleHasNumber | kCounterSampleIsWhole);
  reading.Change(1, 51, 900, 30, kCounterSampleHasNumber | kCounterSampleIsWhole);  // nothing new
  reading.Change(1, 52, 1, 1);
  const auto& samples = reading.profile.counters[0].samples;
  REQUIRE(samples.size() == 7);  // 500; 10; 0, 0; 390; 0; 1
  CHECK(samples[4].count == 390);
  CHECK(samples[4].number == 29);
  CHECK(samples[6].count == 1);
}

TEST_CASE("the first row lies an interval before the second one, at least") {
  Reading reading;
  REQUIRE(reading.Define(1));
  EntryBuilder entry(EntryType::kCounterSample, reading.room);
  entry.U(1 << 2 | kCounterSampleHasNumber).Z(100).Z(1);
  Leb128Reader fields(entry.bytes().subspan(1));
  reading.reader.ReadSamples(fields, kStart + kMs / 10, 1);
  const auto& samples = reading.profile.counters[0].samples;
  REQUIRE(samples.size() == 2);
  CHECK(samples[1].time_ns - samples[0].time_ns == kMs);
}

TEST_CASE("a counter's end has the last word") {
  Reading reading;
  REQUIRE(reading.Define(1));
  REQUIRE(reading.Define(2));
  REQUIRE(reading.End(1, kStart + 5 * kMs + 10, 25, 3));
  REQUIRE(reading.End(2, kStart + 5 * kMs, 7, 1));
  reading.Change(1, 2, 20, 2);
  reading.Change(2, 5, 7, 1);
  reading.reader.Finish();
  CHECK(reading.profile.counters[0].ended_ns == kStart + 5 * kMs + 10);
  CHECK(reading.Rows(0) == Rows{{0, 0}, {1, 0}, {2, 20}, {3, 0}, {4, 0}, {5, 5}});
  CHECK(reading.profile.counters[0].samples.back().number == 1);
  CHECK(reading.Rows(1).back() == std::pair<int64_t, int64_t>{5, 7});
}

TEST_CASE("times rise whatever the segment says") {
  Reading reading;
  REQUIRE(reading.Define(1));
  reading.Change(1, 5, 1, 1);
  reading.Change(1, 3, 1, 1);
  reading.Change(1, 3, 1, 1);
  reading.profile.interval_ns = -5;
  reading.Change(1, 90, 1, 1);
  reading.reader.Finish();
  const auto& samples = reading.profile.counters[0].samples;
  for (size_t i = 1; i < samples.size(); ++i) CHECK(samples[i - 1].time_ns < samples[i].time_ns);
}

TEST_CASE("nonsense is left out") {
  Reading reading;
  REQUIRE(reading.Define(1));
  CHECK_FALSE(reading.Define(1));
  CHECK_FALSE(reading.End(2, kStart, 0, 0));
  CHECK_FALSE(reading.End(1, 0, 0, 0));
  reading.Change(7, 1, 5, 5);  // not known
  CHECK(reading.reader.unreadable() == 0);
  const uint8_t cut[] = {4 | 1, 2};
  Leb128Reader fields(cut);
  reading.reader.ReadSamples(fields, kStart, 1);
  CHECK(reading.reader.unreadable() == 1);
  const uint8_t empty[] = {9};
  Leb128Reader definition(empty);
  CHECK_FALSE(reading.reader.ReadDefinition(definition));
  reading.Change(1, 1, INT64_MAX, INT64_MAX);
  reading.Change(1, 2, INT64_MAX, INT64_MAX);  // sums wrap
  CHECK(reading.profile.counters.size() == 1);
}

TEST_CASE("a counter that was destroyed and made anew goes on in its row, one that lives beside it has its own") {
  for (const uint64_t flags : {kCounterHasNumber, kCounterHasNumber | kCounterIsRate}) {
    Reading reading;
    REQUIRE(reading.Define(1, 5, flags));
    REQUIRE(reading.Define(2, 0, flags, kStart + kMs));  // while the first lives
    REQUIRE(reading.End(1, kStart + 10 * kMs, 30, 2));
    REQUIRE(reading.Define(3, 4, flags, kStart + 20 * kMs));
    reading.Change(1, 2, 20, 1);
    reading.Change(3, 21, 6, 1);
    reading.reader.Finish();
    REQUIRE(reading.profile.counters.size() == 2);
    const CounterRow& counter = reading.profile.counters[0];
    CHECK((counter.ended_ns == 0 && counter.since_ns == kStart));
    int64_t sum = 0, calls = 0, last_ns = 0;
    for (const CounterSample& sample : counter.samples) {
      sum += sample.count;
      calls += sample.number;
      CHECK(sample.time_ns > last_ns);
      last_ns = sample.time_ns;
    }
    // A level is that of the new counter. A rate has all that was added, without the 4 at the creation of the new one.
    CHECK(sum == ((flags & kCounterIsRate) != 0 ? 30 + 6 : 10));
    CHECK(calls == 3);
  }
}

TEST_CASE("a counter made anew within a tick goes on in its row, though the sampler met the new one first") {
  Reading reading;
  REQUIRE(reading.Define(1, 4, kCounterHasNumber, kStart + 2 * kMs));
  REQUIRE(reading.Define(2, 7, kCounterHasNumber, kStart + kMs));
  REQUIRE(reading.End(2, kStart + 2 * kMs, 9, 2));
  reading.Change(1, 3, 6, 1);
  reading.reader.Finish();
  REQUIRE(reading.profile.counters.size() == 1);
  CHECK(reading.profile.counters[0].since_ns == kStart + kMs);
  CHECK(reading.profile.counters[0].ended_ns == 0);
}

TEST_CASE("counters of one name that are shown differently stay apart") {
  Reading reading;
  REQUIRE(reading.Define(1));
  REQUIRE(reading.End(1, kStart + 10 * kMs, 30, 2));
  REQUIRE(reading.Define(2, 0, kCounterIsRate, kStart + 20 * kMs));
  reading.reader.Finish();
  CHECK(reading.profile.counters.size() == 2);
}

}  // namespace
}  // namespace geckoprof
