#include "geckoprof/reader/recent_rows.h"

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

SampleRow Sample(int64_t time_ns, uint32_t idle_ticks = 1, int64_t apart_ns = 0) {
  SampleRow row;
  row.time_ns = time_ns;
  row.stack = 1;
  row.cpu_delta_ns = 10;
  row.idle_ticks = idle_ticks;
  row.apart_ns = apart_ns;
  return row;
}

MarkerRow Marker(MarkerPhase phase, int64_t start_ns, int64_t end_ns) {
  MarkerRow row;
  row.phase = phase;
  row.start_ns = start_ns;
  row.end_ns = end_ns;
  return row;
}

ProcessProfile Profile() {
  ProcessProfile profile;
  profile.start_ns = 100;
  profile.end_ns = 2000;
  profile.threads.resize(1);
  profile.threads[0].is_main = true;
  return profile;
}

TEST_CASE("samples before the time are gone, and the first that stays has no time before it") {
  ProcessProfile profile = Profile();
  for (const int64_t time_ns : {200, 999, 1000, 1500}) profile.threads[0].samples.push_back(Sample(time_ns));
  KeepRowsSince(1000, profile);
  REQUIRE(profile.threads[0].samples.size() == 2);
  CHECK(profile.threads[0].samples[0].time_ns == 1000);
  CHECK(profile.threads[0].samples[0].cpu_delta_ns == -1);
  CHECK(profile.threads[0].samples[1].cpu_delta_ns == 10);
  CHECK(profile.recording_ns == 1000);
}

TEST_CASE("an idle run loses the ticks before the time") {
  ProcessProfile profile = Profile();
  profile.threads[0].samples.push_back(Sample(1500, 10, 100));  // 600, 700 ... 1500
  KeepRowsSince(1150, profile);
  CHECK(profile.threads[0].samples[0].idle_ticks == 4);
}

TEST_CASE("a thread that waits at the time has a row there") {
  const auto since_1000 = [](SampleState state, std::vector<PausedRange> paused, int64_t cpu_ns) {
    ProcessProfile profile = Profile();
    SampleRow first = Sample(500), next = Sample(1500);
    first.state = state;
    next.cpu_delta_ns = cpu_ns;
    profile.threads[0].samples.push_back(first);
    profile.threads[0].samples.push_back(next);
    profile.paused = std::move(paused);
    KeepRowsSince(1000, profile);
    return std::vector<SampleRow>(profile.threads[0].samples.begin(), profile.threads[0].samples.end());
  };
  const std::vector<SampleRow> rows = since_1000(SampleState::kWaiting, {}, 10);
  REQUIRE(rows.size() == 2);
  CHECK((rows[0].time_ns == 1000 && rows[0].stack == 1 && rows[0].state == SampleState::kWaiting));
  CHECK((rows[0].cpu_delta_ns == -1 && rows[0].idle_ticks == 1 && StateNumber(rows[0]) != kBeginsToWait));
  CHECK(rows[1].cpu_delta_ns == 10);  // the thread used it when it had woken
  CHECK(since_1000(SampleState::kRunning, {}, 10).size() == 1);
  CHECK(since_1000(SampleState::kWaiting, {{900, 1100, "a"}}, 10).size() == 1);
  CHECK(since_1000(SampleState::kWaiting, {{1100, 1200, "a"}}, 10).size() == 2);
  CHECK(since_1000(SampleState::kWaiting, {}, -1).size() == 1);   // what it did between is not known
  CHECK(since_1000(SampleState::kWaiting, {}, 600).size() == 1);  // it had woken before
}

std::vector<int64_t> MarkersSince(int64_t since_ns, const std::vector<MarkerRow>& markers) {
  ProcessProfile profile = Profile();
  for (const MarkerRow& marker : markers) profile.threads[0].markers.push_back(marker);
  KeepRowsSince(since_ns, profile);
  std::vector<int64_t> times;
  for (const MarkerRow& marker : profile.threads[0].markers) {
    times.push_back(marker.phase == MarkerPhase::kIntervalEnd ? marker.end_ns : marker.start_ns);
  }
  return times;
}

TEST_CASE("a marker stays if it ends later") {
  CHECK(MarkersSince(1000, {Marker(MarkerPhase::kInstant, 500, 0), Marker(MarkerPhase::kInterval, 510, 999),
                            Marker(MarkerPhase::kInterval, 520, 1000), Marker(MarkerPhase::kInstant, 1000, 0),
                            Marker(MarkerPhase::kInterval, 530, 1300)}) == std::vector<int64_t>{520, 1000, 530});
}

TEST_CASE("a start stays if its end lies later or has not come") {
  MarkerRow other = Marker(MarkerPhase::kIntervalStart, 620, 0);
  other.name = 1;
  CHECK(MarkersSince(1000, {Marker(MarkerPhase::kIntervalStart, 500, 0), Marker(MarkerPhase::kIntervalEnd, 0, 600),
                            Marker(MarkerPhase::kIntervalStart, 610, 0), other,
                            Marker(MarkerPhase::kIntervalEnd, 0, 1200)}) == std::vector<int64_t>{610, 620, 1200});
}

TEST_CASE("a counter keeps its value, and loses the rows before") {
  ProcessProfile profile = Profile();
  profile.counters.resize(3);
  profile.counters[0].samples = {{200, 5, 1}, {400, 6, 1}, {1200, 7, 2}};
  profile.counters[1].samples = {{200, 5, 1}};
  profile.counters[2].samples = {{200, 5, 1}};
  profile.counters[2].ended_ns = 400;
  KeepRowsSince(1000, profile);
  REQUIRE(profile.counters.size() == 2);
  const std::vector<CounterSample>& samples = profile.counters[0].samples;
  REQUIRE(samples.size() == 2);
  CHECK((samples[0].time_ns == 1000 && samples[0].count == 11 && samples[0].number == 2));
  CHECK((samples[1].time_ns == 1200 && samples[1].count == 7));
  REQUIRE(profile.counters[1].samples.size() == 1);
  CHECK(profile.counters[1].samples[0].time_ns == 1000);
  CHECK(profile.counters[1].samples[0].count == 5);
}

TEST_CASE("threads and pauses that ended before are gone, but not the main thread") {
  ProcessProfile profile = Profile();
  profile.threads.resize(3);
  profile.threads[0].unregistered_ns = profile.threads[1].unregistered_ns = 900;
  profile.threads[2].unregistered_ns = 1100;
  profile.paused = {{200, 300, "a"}, {900, 1100, "b"}, {1900, 0, "c"}};
  KeepRowsSince(1000, profile);
  CHECK(profile.threads.size() == 2);
  CHECK(profile.threads[0].is_main);
  REQUIRE(profile.paused.size() == 2);
  CHECK(profile.paused[0].reason == "b");
}

TEST_CASE("a time before the recording changes nothing, and one after it leaves no rows") {
  ProcessProfile profile = Profile();
  profile.threads[0].samples.push_back(Sample(200));
  KeepRowsSince(50, profile);
  CHECK(profile.threads[0].samples.size() == 1);
  CHECK(profile.recording_ns == 0);
  KeepRowsSince(INT64_MAX, profile);
  CHECK(profile.threads[0].samples.empty());
  CHECK(profile.recording_ns == 2000);
}

}  // namespace
}  // namespace geckoprof
