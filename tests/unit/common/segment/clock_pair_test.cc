#include "geckoprof/segment/clock_pair.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <thread>

namespace geckoprof {
namespace {

std::unique_ptr<SegmentHeader> Empty() {
  auto header = std::make_unique<SegmentHeader>();
  std::memset(static_cast<void*>(header.get()), 0, sizeof(SegmentHeader));
  return header;
}

TEST_CASE("both clocks are read at one moment: no later reading of either lies before it") {
  for (int i = 0; i < 200; ++i) {
    const int64_t before_ns = MonotonicNs();
    const uint64_t before_cycles = ReadCycleCounter();
    const ClockReading reading = ReadClocks(8);
    const uint64_t after_cycles = ReadCycleCounter();
    REQUIRE(reading.pair.ns >= before_ns);
    REQUIRE(reading.pair.ns <= MonotonicNs());
    REQUIRE(reading.pair.cycles >= before_cycles);
    REQUIRE(reading.pair.cycles <= after_cycles);
    REQUIRE(reading.apart_cycles <= after_cycles - before_cycles);
  }
}

TEST_CASE("of several readings of both clocks the closest counts") {
  // Whatever comes in between: of more tries the best is no worse, and a machine has close ones now and then.
  uint64_t closest = UINT64_MAX, close_cycles = 0;
  for (int i = 0; i < 20; ++i) {
    const uint64_t apart_cycles = ReadClocks(500, 0).apart_cycles;
    closest = std::min(closest, apart_cycles);
    close_cycles = std::max(close_cycles, apart_cycles);
  }
  CHECK(closest < 20'000);
  CHECK(close_cycles < 1'000'000);
  CHECK(ReadClocks(0).apart_cycles == UINT64_MAX);
}

TEST_CASE("a header that was never given a pair has none") { CHECK_FALSE(ReadLatestPair(*Empty())); }

TEST_CASE("the latest pair is read as it was written") {
  const auto header = Empty();
  for (int64_t i = 1; i < 5; ++i) {
    WriteLatestPair(*header, {static_cast<uint64_t>(i) * 10, i * 100});
    const auto pair = ReadLatestPair(*header);
    REQUIRE(pair);
    CHECK(pair->cycles == static_cast<uint64_t>(i) * 10);
    CHECK(pair->ns == i * 100);
  }
}

TEST_CASE("a pair of which one half is new is seen, wherever the copy was made") {
  const auto header = Empty();
  WriteLatestPair(*header, {10, 100});
  header->clock_begun.store(2);  // what the writer does, step by step
  CHECK_FALSE(ReadLatestPair(*header));
  header->latest_cycles.store(20);
  CHECK_FALSE(ReadLatestPair(*header));
  header->latest_cycles_ns.store(200);
  CHECK_FALSE(ReadLatestPair(*header));
  header->clock_done.store(2);
  REQUIRE(ReadLatestPair(*header));
  CHECK(ReadLatestPair(*header)->cycles == 20);
  header->clock_done.store(1);  // the copy began before the write and ended after it
  CHECK_FALSE(ReadLatestPair(*header));
}

TEST_CASE("the count of pairs may wrap, but for the one time that looks like none") {
  const auto header = Empty();
  header->clock_begun.store(UINT32_MAX - 1);
  WriteLatestPair(*header, {1, 2});
  CHECK(ReadLatestPair(*header));
  WriteLatestPair(*header, {3, 4});
  CHECK_FALSE(ReadLatestPair(*header));
  WriteLatestPair(*header, {5, 6});
  REQUIRE(ReadLatestPair(*header));
  CHECK(ReadLatestPair(*header)->ns == 6);
}

TEST_CASE("beside a writer that never rests no pair is torn") {
  const auto header = Empty();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int64_t i = 1; !done.load(std::memory_order_relaxed); ++i) {
      WriteLatestPair(*header, {static_cast<uint64_t>(i), -i});
    }
  });
  int seen = 0;
  bool torn = false;
  for (int i = 0; i < 10'000'000 && seen < 20'000; ++i) {
    const auto pair = ReadLatestPair(*header);
    if (!pair) {
      std::this_thread::yield();  // it may have been put off its core in the middle
      continue;
    }
    ++seen;
    torn |= static_cast<int64_t>(pair->cycles) != -pair->ns;
  }
  done.store(true);
  writer.join();
  CHECK_FALSE(torn);
  CHECK(seen > 0);
}

}  // namespace
}  // namespace geckoprof
