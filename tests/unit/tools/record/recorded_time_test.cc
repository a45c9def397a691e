#include "tools/record/recorded_time.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/changed_rows.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// One thread: a first row without a time, then `ms` rows of one ms each.
RecordedProcesses Worked(int ms) {
  RecordedProcesses processes = {ProcessProfile()};
  processes[0].interval_ns = kMs;
  processes[0].threads.resize(1);
  SampleList& samples = processes[0].threads[0].samples;
  samples.push_back({});
  for (int i = 0; i < ms; ++i) samples.push_back({.cpu_delta_ns = kMs});
  return processes;
}

TEST_CASE("time that no recorded process has is told, with both figures") {
  const RecordedTime time(3250 * kMs, Worked(1500));
  CHECK((time.sampled_ns == 1500 * kMs && time.missing_ns() == 1750 * kMs));
  const std::string note = time.Note();
  CHECK(note.starts_with("of the 3.3 s of CPU time"));
  CHECK(note.find(", 1.8 s have no samples: 1.8 s in processes that were not recorded") != std::string::npos);
}

TEST_CASE("no note: at most a tenth is missing, or less than the ends of a few processes take") {
  CHECK(RecordedTime(0, {}).Note().empty());
  CHECK(RecordedTime(50 * kMs, Worked(0)).Note().empty());
  CHECK_FALSE(RecordedTime(51 * kMs, Worked(0)).Note().empty());
  CHECK(RecordedTime(2000 * kMs, Worked(1800)).Note().empty());
  CHECK_FALSE(RecordedTime(2010 * kMs, Worked(1800)).Note().empty());
  CHECK(RecordedTime(900 * kMs, Worked(1500)).Note().empty());  // children that nobody waited for
}

// Scripts start such processes. They told their time and ended before their first sample.
void AddShortChildren(int32_t count, int ms, RecordedProcesses& processes) {
  for (int32_t pid = 1; pid <= count; ++pid) {
    ProcessProfile& process = processes.emplace_back();
    process.pid = pid;
    process.cpu_ns = (ms + 1) * kMs;
    process.sampler_cpu_ns = kMs;
  }
}

TEST_CASE(
    "the note says how much of the time is of processes without a sample, and of those with samples outside of them") {
  RecordedProcesses processes = Worked(500);
  processes[0].pid = 900;
  processes[0].command_name = "busy";
  processes[0].cpu_ns = 800 * kMs;
  processes.push_back(Worked(10)[0]);
  processes[1].pid = 901;
  processes[1].cpu_ns = 110 * kMs;
  AddShortChildren(200, 5, processes);
  const RecordedTime time(3210 * kMs, processes);
  CHECK((time.samplers_ns == 200 * kMs && time.sampled_ns == 510 * kMs && time.missing_ns() == 2500 * kMs));
  CHECK((time.unsampled.count == 200 && time.unsampled.cpu_ns == 1000 * kMs));
  CHECK((time.outside.count == 2 && time.outside.cpu_ns == 400 * kMs));
  const std::string note = time.Note();
  CHECK(
      note.starts_with("of the 3.0 s of CPU time that the program and its children took, 2.5 s have no samples: "
                       "1.0 s in 200 processes that ended before the first sample; "
                       "0.4 s in 2 processes before the first sample or after the last one, most of it in busy (900); "
                       "1.1 s in processes that were not recorded: "));
}

TEST_CASE("the note has no small parts, and no more than is missing") {
  RecordedProcesses processes = Worked(500);
  processes[0].cpu_ns = 520 * kMs;
  AddShortChildren(100, 10, processes);
  const std::string children = RecordedTime(1620 * kMs, processes).Note();
  CHECK(children.ends_with("1.0 s have no samples: 1.0 s in 100 processes that ended before the first sample"));
  // Samples of a child that nobody waited for hide a part of the missing time.
  const std::string hidden = RecordedTime(1220 * kMs, processes).Note();
  CHECK(hidden.ends_with("0.6 s have no samples: 0.6 s in 100 processes that ended before the first sample"));
}

TEST_CASE("the rest may be what the ends of many processes take") {
  RecordedProcesses processes = Worked(500);
  AddShortChildren(400, 1, processes);
  const auto note = [&processes](int rest_ms) { return RecordedTime((1300 + rest_ms) * kMs, processes).Note(); };
  CHECK(note(200).ends_with("; 0.2 s at the ends of 401 processes, after they told their times"));
  CHECK(note(201).find("; 0.2 s in processes that were not recorded") != std::string::npos);
}

TEST_CASE("a process that ran several programs told the time of all of them") {
  RecordedProcesses processes = Worked(100);
  processes.push_back(Worked(200)[0]);
  processes[1].image = 1;
  processes[1].cpu_ns = 350 * kMs;
  CHECK(RecordedTime(1000 * kMs, processes).outside.cpu_ns == 50 * kMs);
  processes[1].pid_space = 1;  // two processes
  CHECK(RecordedTime(1000 * kMs, processes).outside.cpu_ns == 150 * kMs);
}

TEST_CASE("no note: what the samplers took") {
  RecordedProcesses asleep = Worked(0);
  CHECK_FALSE(RecordedTime(1500 * kMs, asleep).Note().empty());
  asleep[0].sampler_cpu_ns = 1460 * kMs;
  CHECK(RecordedTime(1500 * kMs, asleep).Note().empty());
  CHECK(RecordedTime(1500 * kMs, asleep).program_ns() == 40 * kMs);
  asleep[0].sampler_cpu_ns = INT64_MAX;  // damaged
  CHECK(RecordedTime(1500 * kMs, asleep).missing_ns() == 0);
}

TEST_CASE("processes that ended before their first sample are added up, without their samplers") {
  RecordedProcesses processes = Worked(5);
  processes[0].cpu_ns = 6 * kMs;
  for (int32_t pid = 1; pid <= 3; ++pid) {
    ProcessProfile& process = processes.emplace_back();
    process.pid = pid;
    process.cpu_ns = pid * kMs;
    process.sampler_cpu_ns = kMs / 2;
  }
  processes.emplace_back().pid = 4;  // it was killed
  processes.emplace_back().pid = 3;  // its program before an exec
  processes.back().sampler_cpu_ns = kMs / 2;
  ProcessProfile& dropped = processes.emplace_back();  // it had samples
  dropped.pid = 5;
  dropped.cpu_ns = 70 * kMs;
  dropped.problems.push_back(DroppedDataText(kMs, 0));
  const UnsampledProcesses unsampled(processes);
  CHECK((unsampled.count == 3 && unsampled.cpu_ns == 4 * kMs));
}

TEST_CASE("no note: the samples were not meant to have it all, or their process says why not") {
  RecordedProcesses processes = Worked(100);
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
  SampleList waits_first;  // before the thread's clock is read
  waits_first.push_back({.cpu_delta_ns = 0});
  for (const SampleRow& sample : processes[0].threads[0].samples) waits_first.push_back(sample);
  processes[0].threads[0].samples = waits_first;
  CHECK_FALSE(note().empty());
  ChangeRow(processes[0].threads[0].samples, 50, [](SampleRow& sample) { sample.cpu_delta_ns = -1; });
  CHECK(note().empty());
}

}  // namespace
}  // namespace geckoprof
