#include "tools/record/recorded_time.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/changed_rows.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// One thread: a first row without a time, then `ms` rows of one ms each.
std::vector<ProcessProfile> Worked(int ms) {
  std::vector<ProcessProfile> processes(1);
  processes[0].interval_ns = kMs;
  processes[0].threads.resize(1);
  SampleList& samples = processes[0].threads[0].samples;
  samples.push_back({});
  for (int i = 0; i < ms; ++i) samples.push_back({.cpu_delta_ns = kMs});
  return processes;
}

TEST_CASE("time that no sample has is told, with both figures") {
  const RecordedTime time(3250 * kMs, Worked(1500));
  CHECK(time.sampled_ns == 1500 * kMs);
  const std::string note = time.Note();
  CHECK(note.find("of the 3.3 s of CPU time") != std::string::npos);
  CHECK(note.find("the profile has 1.5 s") != std::string::npos);
}

TEST_CASE("no note: little is missing, or what each image and thread may lose at its ends") {
  CHECK(RecordedTime(0, std::vector<ProcessProfile>()).Note().empty());
  CHECK(RecordedTime(111 * kMs, Worked(0)).Note().empty());  // under a tenth of a second besides the allowance
  CHECK_FALSE(RecordedTime(113 * kMs, Worked(0)).Note().empty());
  CHECK(RecordedTime(1990 * kMs, Worked(1500)).Note().empty());  // under a quarter
  CHECK(RecordedTime(900 * kMs, Worked(1500)).Note().empty());   // children that nobody waited for
  std::vector<ProcessProfile> many(200);                         // as a script starts them
  for (ProcessProfile& process : many) {
    process.start_ns = process.recording_ns = 70 * kMs;  // their exec's time nobody knows
    process.end_ns = 71 * kMs;
    process.interval_ns = kMs;
  }
  CHECK(RecordedTime(2000 * kMs, many).Note().empty());
  CHECK_FALSE(RecordedTime(2700 * kMs, many).Note().empty());
}

TEST_CASE("no note: what the samplers took") {
  std::vector<ProcessProfile> asleep = Worked(0);
  asleep[0].end_ns = 30'000 * kMs;
  CHECK_FALSE(RecordedTime(1500 * kMs, asleep).Note().empty());
  asleep[0].sampler_cpu_ns = 1400 * kMs;
  CHECK(RecordedTime(1500 * kMs, asleep).Note().empty());
  asleep[0].sampler_cpu_ns = INT64_MAX;  // damaged
  CHECK(RecordedTime(1500 * kMs, asleep).allowance_ns == 1500 * kMs);
}

TEST_CASE("no note: the last tick was long before the end") {
  std::vector<ProcessProfile> starved = Worked(0);
  starved[0].end_ns = 3000 * kMs;
  starved[0].last_tick_ns = 2600 * kMs;
  CHECK(RecordedTime(500 * kMs, starved).Note().empty());
  CHECK_FALSE(RecordedTime(600 * kMs, starved).Note().empty());
  starved[0].threads[0].unregistered_ns = 2500 * kMs;  // none of its threads was there
  CHECK_FALSE(RecordedTime(500 * kMs, starved).Note().empty());
}

TEST_CASE("no note: the samples were not meant to have it all, or their process says why not") {
  std::vector<ProcessProfile> processes = Worked(100);
  const auto note = [&processes] { return RecordedTime(10'000 * kMs, processes).Note(); };
  REQUIRE_FALSE(note().empty());
  processes[0].losses = {{"moved-while-read", 7}};  // the next row has their time
  CHECK_FALSE(note().empty());
  processes[0].threads[0].samples.push_back({.idle_ticks = 9});
  CHECK_FALSE(note().empty());
  processes[0].losses = {{"recycled-chunk", 7}};
  CHECK(note().empty());
  processes = Worked(100);
  processes[0].problems = {"seccomp"};
  CHECK(note().empty());
  processes = Worked(100);
  processes[0].recording_ns = 101 * kMs;  // the program began it when it liked to
  CHECK(note().empty());
  processes = Worked(1500);
  processes[0].end_ns = 50 * kMs;
  CHECK_FALSE(RecordedTime(2020 * kMs, processes).Note().empty());
  processes[0].recording_ns = 50 * kMs;  // a forked one, which waited for a core
  CHECK(RecordedTime(2020 * kMs, processes).Note().empty());
  CHECK_FALSE(RecordedTime(2100 * kMs, processes).Note().empty());
  for (const char* end : {"stopped", "duration over", "exec (sampling had ended before: stopped)"}) {
    processes = Worked(100);
    processes[0].end_reason = end;
    CHECK(note().empty());
  }
  for (const char* end : {"exited", "killed by signal 9", "alive"}) {
    processes[0].end_reason = end;
    CHECK_FALSE(note().empty());
  }
  processes[0].paused.resize(1);
  CHECK(note().empty());
  processes = Worked(100);
  ChangeRow(processes[0].threads[0].samples, 50, [](SampleRow& sample) { sample.cpu_delta_ns = -1; });
  CHECK(note().empty());
}

}  // namespace
}  // namespace geckoprof
