#include "thread_samples.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// Receives the rows of a thread, and finishes when they are read.
class Received {
 public:
  explicit Received(ProcessProfile made = {}) : profile(std::move(made)) {
    profile.interval_ns = kMs;
    tables.emplace(&profile);
    profile.threads.resize(1);
    markers.emplace(&profile, &*tables);
    samples.emplace(&*markers, &profile.threads[0]);
    FrameRow reason;
    reason.kind = FrameKind::kReason;
    reason_stack = tables->Stack(0, tables->Frame(reason));
    FrameRow function;
    function.address = 0x1000;
    stack = tables->Stack(0, tables->Frame(function));
    after_reason = tables->Stack(reason_stack, tables->Frame(function));
  }

  // A sample after `cpu_ns` of running, and of what was before it.
  Received& Run(int64_t cpu_ns, int64_t before_ns = 0) { return Add(cpu_ns, cpu_ns + before_ns, stack); }
  Received& Runs(size_t times, int64_t cpu_ns) {
    for (size_t i = 0; i < times; ++i) Run(cpu_ns);
    return *this;
  }
  Received& Add(int64_t cpu_ns, int64_t passed_ns, int32_t row_stack, SampleState state = SampleState::kRunning) {
    SampleRow row;
    row.time_ns = now_ns += passed_ns;
    row.cpu_delta_ns = cpu_ns;
    row.stack = row_stack;
    row.state = state;
    samples->push_back(row);
    cpu_sum_ns += cpu_ns;
    return *this;
  }
  Received& Wait(int64_t passed_ns) { return Add(0, passed_ns, stack, SampleState::kWaiting); }

  // The gaps, as "begin..end: CPU time" in ms. No CPU time may be lost.
  std::string Gaps() {
    samples->Finish();
    std::string text;
    int64_t sum_ns = 0;
    size_t number = 0;
    int64_t last_ns = INT64_MIN;
    for (const SampleRow& row : rows()) {
      CHECK(row.time_ns > last_ns);
      last_ns = row.time_ns;
      sum_ns += row.cpu_delta_ns;
      if (!IsGap(row)) continue;
      const MarkerRow marker = profile.threads[0].markers[number++];
      CHECK(marker.end_ns == row.time_ns);
      CHECK(marker.fields[0].integer == row.cpu_delta_ns);
      text += (text.empty() ? "" : ", ") + std::to_string(marker.start_ns / kMs) + ".." +
              std::to_string(marker.end_ns / kMs) + ": " + std::to_string(row.cpu_delta_ns / kMs);
    }
    CHECK(number == profile.threads[0].markers.size());
    CHECK(sum_ns == cpu_sum_ns);
    return text;
  }
  const SampleList& rows() const { return profile.threads[0].samples; }

  ProcessProfile profile;
  std::optional<SegmentTables> tables;
  std::optional<GapMarkers> markers;
  std::optional<ThreadSamples> samples;
  int32_t stack, reason_stack, after_reason;
  int64_t now_ns = 1000 * kMs, cpu_sum_ns = 0;
};

TEST_CASE("a row with more than five intervals of CPU time has a gap before it") {
  Received received;
  received.Runs(20, kMs).Run(105 * kMs, 40 * kMs).Runs(20, kMs);
  CHECK(received.Gaps() == "1060..1164: 104");
  REQUIRE(received.rows().size() == 42);
  const SampleRow gap = received.rows()[20], sample = received.rows()[21];
  CHECK(gap.state == SampleState::kRunning);
  CHECK(gap.stack == kNone);
  CHECK_FALSE(IsSample(gap));
  CHECK(sample.time_ns == gap.time_ns + kMs);
  CHECK(sample.cpu_delta_ns == kMs);
  CHECK(sample.stack == received.stack);
  CHECK(received.rows()[22].time_ns == sample.time_ns + kMs);
}

TEST_CASE("a gap is a marker with the CPU time that has no samples") {
  Received received;
  received.Runs(20, kMs).Run(7 * kMs).Run(9 * kMs);
  received.Gaps();
  REQUIRE(received.profile.threads[0].markers.size() == 2);
  const MarkerRow marker = received.profile.threads[0].markers[1];
  CHECK(received.profile.strings[static_cast<size_t>(marker.name)] == "gap");
  CHECK(marker.phase == MarkerPhase::kInterval);
  REQUIRE(received.profile.marker_types.size() == 1);
  CHECK(marker.type == 0);
  CHECK(received.profile.marker_types[0].name == "geckoprofGap");
  REQUIRE(marker.fields.size() == 1);
  CHECK(marker.fields[0].kind == MarkerFieldKind::kNs);
  CHECK(marker.fields[0].integer == 8 * kMs);
  CHECK(received.profile.strings[static_cast<size_t>(marker.fields[0].key)] == "cpuTime");
}

TEST_CASE("up to five intervals are no gap") {
  Received received;
  received.Runs(20, kMs).Run(5 * kMs).Runs(20, kMs).Run(5 * kMs + 10).Runs(20, kMs);
  CHECK(received.Gaps() == "1045..1049: 4");
}

TEST_CASE("the time that a thread waited for a core before a gap stays before it") {
  Received received;
  received.Runs(20, kMs);
  SampleRow row;
  row.time_ns = received.now_ns + 30 * kMs;
  row.cpu_delta_ns = received.cpu_sum_ns = 20 * kMs;
  row.ready_ns = 10 * kMs;
  row.stack = received.stack;
  received.samples->push_back(row);
  received.cpu_sum_ns = 40 * kMs;
  CHECK(received.Gaps() == "1030..1049: 19");
  CHECK(received.rows()[20].ready_ns == 10 * kMs);
  CHECK(received.rows()[21].ready_ns == 0);
}

TEST_CASE("a recording that is coarser than its interval has no gaps") {
  Received received;
  SECTION("timers at the kernel's ticks") { received.Runs(200, 4 * kMs).Run(8 * kMs).Runs(100, 10 * kMs); }
  SECTION("a sampler of thousands of threads") {
    for (int i = 0; i < 100; ++i) received.Run((40 + i % 7 * 5) * kMs, 500 * kMs);
  }
  SECTION("bursts that the ticks miss by chance") {
    for (int i = 0; i < 100; ++i) received.Run((4 + i * i % 23) * kMs, 60 * kMs);
  }
  CHECK(received.Gaps().empty());
}

TEST_CASE("a gap stands out in a coarse recording, too") {
  Received received;
  received.Runs(50, 4 * kMs).Run(19 * kMs).Runs(50, 4 * kMs).Run(30 * kMs).Runs(50, 4 * kMs);
  CHECK(received.Gaps() == "1419..1445: 26");
  CHECK(received.rows()[102].cpu_delta_ns == 4 * kMs);
}

TEST_CASE("where the source of samples changes there is no gap") {
  Received received;
  SECTION("from coarse to fine") { received.Runs(40, 10 * kMs).Runs(40, kMs); }
  SECTION("from fine to coarse") { received.Runs(40, kMs).Runs(40, 10 * kMs); }
  SECTION("to coarse and back") { received.Runs(40, kMs).Runs(17, 10 * kMs).Runs(40, kMs); }
  CHECK(received.Gaps().empty());
}

TEST_CASE("gaps that follow each other are all found") {
  Received received;
  received.Runs(20, kMs);
  for (int i = 0; i < 10; ++i) received.Run(50 * kMs).Runs(2, kMs);
  received.Runs(20, kMs);
  received.Gaps();
  CHECK(received.profile.threads[0].markers.size() == 10);
}

TEST_CASE("an interval counts at its time") {
  ProcessProfile profile;
  profile.earlier_intervals = {{1200 * kMs, 10 * kMs}};
  Received received(profile);
  received.Runs(20, 10 * kMs).Runs(20, kMs).Run(7 * kMs).Runs(20, kMs);
  CHECK(received.Gaps() == "1220..1226: 6");
}

TEST_CASE("a few samples do not show what is usual") {
  Received received;
  SECTION("up to five of a kernel's longest ticks are no gap") {
    received.Runs(2, kMs).Run(50 * kMs).Runs(2, kMs);
    CHECK(received.Gaps().empty());
  }
  SECTION("more is one") {
    received.Runs(2, kMs).Run(51 * kMs);
    CHECK(received.Gaps() == "1002..1043: 41");
  }
  SECTION("nor does a lone one") {
    received.Run(kMs).Run(300 * kMs);
    CHECK(received.Gaps() == "1001..1291: 290");
  }
  SECTION("unless each has much") {
    received.Runs(3, 80 * kMs);
    CHECK(received.Gaps().empty());
  }
}

TEST_CASE("the first row of a thread has no gap") {
  Received received;
  SECTION("of an unknown begin") { received.Run(500 * kMs); }
  SECTION("after a row with its begin") { received.Add(0, 0, kNone).Run(500 * kMs); }
  received.Runs(20, kMs);
  CHECK(received.Gaps().empty());
}

TEST_CASE("unknown CPU time is no gap") {
  Received received;
  received.Runs(20, kMs);
  SampleRow row;
  row.time_ns = received.now_ns + 500 * kMs;
  row.stack = received.stack;
  received.samples->push_back(row);
  received.cpu_sum_ns -= 1;
  CHECK(received.Gaps().empty());
}

TEST_CASE("a time with a pause in it has no gap") {
  ProcessProfile profile;
  SECTION("in the order of their starts or not") {
    profile.paused = {{5000 * kMs, 0, "open"}, {1100 * kMs, 1110 * kMs, "late"}, {900 * kMs, 1030 * kMs, "early"}};
  }
  SECTION("a long one that began earlier") { profile.paused = {{1 * kMs, 1030 * kMs, ""}, {2 * kMs, 3 * kMs, ""}}; }
  Received received(profile);
  received.Runs(20, kMs).Run(30 * kMs).Runs(20, kMs).Run(10 * kMs).Runs(20, kMs);
  CHECK(received.Gaps() == "1070..1079: 9");
}

TEST_CASE("a row that says why it has no stack is no gap") {
  Received received;
  received.Runs(20, kMs).Add(30 * kMs, 30 * kMs, received.reason_stack).Runs(20, kMs);
  received.Add(30 * kMs, 30 * kMs, received.after_reason).Runs(20, kMs);
  CHECK(received.Gaps() == "1070..1099: 29");  // that stack only lacks its end
}

TEST_CASE("waits since the last sample may have hidden as many short times of running") {
  Received received;
  received.Runs(20, kMs).Wait(kMs).Wait(40 * kMs).Run(15 * kMs, 40 * kMs).Runs(20, kMs);
  SECTION("no gap") { CHECK(received.Gaps().empty()); }
  SECTION("a gap") {
    received.Wait(kMs).Wait(40 * kMs).Run(16 * kMs, 40 * kMs).Runs(20, kMs);
    CHECK(received.Gaps() == "1217..1232: 15");
  }
}

TEST_CASE("CPU time from before a wait is no gap") {
  Received received;
  received.Runs(20, kMs).Wait(kMs).Add(30 * kMs, 3 * kMs, received.stack).Runs(20, kMs);
  CHECK(received.Gaps().empty());
}

TEST_CASE("rows that are held back keep their order") {
  Received received;
  received.Runs(20, kMs).Run(30 * kMs);
  CHECK(received.rows().size() == 20);
  CHECK(received.samples->back().time_ns == received.now_ns);
  received.Run(40 * kMs).Wait(kMs);
  SECTION("until there are enough neighbours") { received.Runs(16, kMs); }
  SECTION("or too many rows") {
    for (int i = 0; i < 300; ++i) received.Wait(kMs);
  }
  CHECK(received.rows().size() >= 23);  // Gaps() looks at their times
  CHECK(received.Gaps() == "1020..1049: 29, 1050..1089: 39");
}

}  // namespace
}  // namespace geckoprof
