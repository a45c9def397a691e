#include "tools/record/session_window.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace geckoprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

SampleRow Row(int64_t time_ns, int64_t cpu_delta_ns = 5) {
  return {.time_ns = time_ns, .stack = 0, .cpu_delta_ns = cpu_delta_ns};
}

// A process with one thread.
ProcessProfile Process(int32_t pid = 1) {
  ProcessProfile process;
  process.pid = pid;
  process.start_ns = 10;
  process.end_reason = "alive";
  process.threads.emplace_back();
  process.threads[0].is_main = true;
  process.strings.push_back("a");
  process.strings.push_back("b");
  return process;
}

TEST_CASE("processes that ended before the window go, and live ones stay") {
  SessionContents contents;
  for (const auto& [pid, end_ns, reason] : {std::tuple{1 << 23, 400, "exited"}, {(1 << 23) + 1, 600, "exited"}}) {
    ProcessProfile process = Process(pid);
    process.end_ns = end_ns;
    process.end_reason = reason;
    contents.processes.push_back(process);
  }
  ProcessProfile live = Process(getpid());
  live.end_ns = 300;  // it sleeps
  contents.processes.push_back(live);
  contents.Finish();
  TrimToWindow(500, contents);
  REQUIRE(contents.processes.size() == 2);
  CHECK(contents.processes[0].pid == getpid());
  CHECK(contents.processes[1].pid == (1 << 23) + 1);
  CHECK(contents.window_begin_ns == 500);
}

TEST_CASE("data that was dropped before the window needs no note, and missing data of the window has one") {
  SessionContents contents;
  for (const int64_t first_ns : {90 * kSecond, 102 * kSecond}) {
    ProcessProfile process = Process(getpid());
    process.image = static_cast<uint32_t>(first_ns / kSecond);
    process.end_ns = first_ns + 5 * kSecond;
    process.problems.push_back(std::string(kDroppedDataProblem) + "1 s was dropped");
    process.losses.push_back({"recycled-chunk", 1});
    process.threads[0].samples.push_back(Row(first_ns));
    contents.processes.push_back(process);
  }
  contents.Finish();
  TrimToWindow(100 * kSecond, contents);
  REQUIRE(contents.processes.size() == 1);  // the first one became the second by exec, before the window
  REQUIRE(contents.processes[0].problems.size() == 1);
  CHECK(contents.processes[0].problems[0].starts_with("The first 2.0 s of the captured time were dropped"));
}

}  // namespace
}  // namespace geckoprof
