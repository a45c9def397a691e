#include "tools/processed_format/lock_waits.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

SampleRow Row(int64_t time_ns, int32_t stack) { return {time_ns, stack, 0}; }
SampleRow LockRow(int64_t time_ns, int32_t stack, uint64_t address = 0x1000, int32_t holder_tid = 2) {
  SampleRow row = Row(time_ns, stack);
  row.state = SampleState::kWaiting;
  row.cause = WaitCause::kLock;
  row.lock_address = address;
  row.holder_tid = holder_tid;
  return row;
}

// A tick of a wait that has a row already.
SampleRow LaterRow(SampleRow row) {
  row.apart_ns = kMs;
  return row;
}

// Thread 2 is at another stack each 5 ms.
ProcessProfile Holding() {
  ProcessProfile process;
  process.threads.resize(2);
  process.threads[0].tid = 1;
  process.threads[1].tid = 2;
  process.threads[1].name = "holder";
  for (int i = 0; i < 10; ++i) process.threads[1].samples.push_back(Row(i * 5 * kMs, i));
  return process;
}

TEST_CASE("a wait goes from its first row to where the thread could run, and has the holder of its begin") {
  ProcessProfile process = Holding();
  SampleRow after = Row(30 * kMs, 9);
  after.cpu_delta_ns = 2 * kMs;
  after.ready_ns = kMs;
  process.threads[0].samples = {Row(kMs, 7), LockRow(10 * kMs, 3), LaterRow(LockRow(25 * kMs, 3)), after};
  const std::vector<LockWait> waits = LockWaits(&process).Find(process.threads[0]);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].start_ns == 10 * kMs);
  CHECK(waits[0].end_ns == 27 * kMs);
  CHECK(waits[0].address == 0x1000);
  REQUIRE(waits[0].holder == &process.threads[1]);
  CHECK(waits[0].holder_stack == 2);
  CHECK(waits[0].holder_time_ns == 10 * kMs);
}

TEST_CASE("a holder that did not run in the wait is where it was before") {
  ProcessProfile process = Holding();
  process.threads[0].samples = {LockRow(11 * kMs, 3), Row(14 * kMs, 1)};
  const std::vector<LockWait> waits = LockWaits(&process).Find(process.threads[0]);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].holder_stack == 2);
  CHECK(waits[0].holder_time_ns == 10 * kMs);
}

TEST_CASE("waits that follow each other, and one at the end") {
  ProcessProfile process = Holding();
  process.threads[0].samples = {LockRow(10 * kMs, 3),         LockRow(20 * kMs, 4),
                                LockRow(30 * kMs, 4, 0x2000), LaterRow(LockRow(40 * kMs, 4, 0x2000)),
                                LockRow(50 * kMs, 4, 0x2000), LaterRow(LockRow(60 * kMs, 4, 0x2000))};
  const std::vector<LockWait> waits = LockWaits(&process).Find(process.threads[0]);
  REQUIRE(waits.size() == 4);
  CHECK(waits[0].end_ns == 20 * kMs);
  CHECK(waits[1].address == 0x1000);
  CHECK(waits[2].address == 0x2000);
  CHECK(waits[2].end_ns == 50 * kMs);
  CHECK(waits[3].end_ns == 60 * kMs);
}

TEST_CASE("short waits, and those without a stack, have none") {
  ProcessProfile process = Holding();
  process.threads[0].samples = {LockRow(10 * kMs, 3), Row(11 * kMs, 1), LockRow(12 * kMs, kNone), Row(20 * kMs, 1)};
  CHECK(LockWaits(&process).Find(process.threads[0]).empty());
}

TEST_CASE("a holder that did not live then, or has no stack, is told as far as it is known") {
  ProcessProfile process = Holding();
  process.threads[0].samples = {LockRow(10 * kMs, 3), Row(30 * kMs, 1)};
  const auto find = [&] { return LockWaits(&process).Find(process.threads[0]).at(0); };
  SECTION("it ended before") {
    process.threads[1].unregistered_ns = 8 * kMs;
    CHECK(find().holder == nullptr);
    process.threads.push_back(process.threads[1]);  // its id was used again
    process.threads[2].registered_ns = 9 * kMs;
    process.threads[2].unregistered_ns = 0;
    CHECK(find().holder == &process.threads[2]);
  }
  SECTION("it is unknown") {
    process.threads[0].samples = {LockRow(10 * kMs, 3, 0x1000, 0), Row(30 * kMs, 1)};
    CHECK(find().holder == nullptr);
    CHECK(find().address == 0x1000);
  }
  SECTION("it has no samples") {
    process.threads[1].samples = {};
    CHECK(find().holder == &process.threads[1]);
    CHECK(find().holder_stack == kNone);
  }
}

// Adds a marker of the feature `locks`.
void AddRecorded(ProcessProfile& process, int64_t start_ns, int64_t end_ns, int32_t holder) {
  process.strings = {"lock", "0x5000", "holder"};
  process.marker_types.resize(1);
  process.marker_types[0].name = "LockWait";
  MarkerRow marker;
  marker.phase = MarkerPhase::kInterval;
  marker.start_ns = start_ns;
  marker.end_ns = end_ns;
  marker.type = 0;
  marker.fields.push_back({0, MarkerFieldKind::kText, 1});
  if (holder != 0) marker.fields.push_back({2, MarkerFieldKind::kInteger, kNone, 0, holder});
  process.threads[0].markers.push_back(marker);
}

TEST_CASE("a recorded wait replaces that of samples") {
  ProcessProfile process = Holding();
  process.threads[0].samples = {LockRow(10 * kMs, 3), Row(30 * kMs, 1), LockRow(50 * kMs, 3), Row(70 * kMs, 1)};
  AddRecorded(process, 8 * kMs, 28 * kMs, 2);
  const std::vector<LockWait> waits = LockWaits(&process).Find(process.threads[0]);
  REQUIRE(waits.size() == 2);
  CHECK(waits[0].start_ns == 8 * kMs);
  CHECK(waits[0].end_ns == 28 * kMs);
  CHECK(waits[0].address == 0x5000);
  CHECK(waits[0].holder == &process.threads[1]);
  CHECK(waits[1].start_ns == 50 * kMs);
}

TEST_CASE("a recorded wait for a condition has no holder, and is not shown as a wait for a lock") {
  ProcessProfile process = Holding();
  process.threads[0].samples = {LockRow(10 * kMs, 3), Row(30 * kMs, 1)};
  AddRecorded(process, 8 * kMs, 28 * kMs, 0);
  CHECK(LockWaits(&process).Find(process.threads[0]).empty());
}

}  // namespace
}  // namespace geckoprof
