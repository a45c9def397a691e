#include "recording/recording_state.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

// As the recording that goes on says it: with a sign of life of now.
std::vector<PausedRange> Paused(TestSegment& test) {
  test.segment().header().heartbeat_ns = MonotonicNs();
  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.losses.empty());
  return profile.paused;
}

TEST_CASE("a pause is in the profile from the call on, and to the call that ends it") {
  const auto log = std::make_unique<PauseLog>();
  TestSegment test;
  CHECK(Paused(test).empty());
  const int64_t before_ns = MonotonicNs();
  log->Note(1, &test.segment());
  const int64_t after_ns = MonotonicNs();
  CHECK(log->kinds() == 1);
  REQUIRE(Paused(test).size() == 1);
  const PausedRange open = Paused(test)[0];
  CHECK(open.start_ns >= before_ns);
  CHECK(open.start_ns <= after_ns);
  CHECK(open.end_ns == 0);
  CHECK(open.reason == "profiler-paused");
  log->Note(0, &test.segment());
  REQUIRE(Paused(test).size() == 1);
  CHECK(Paused(test)[0].start_ns == open.start_ns);
  CHECK(Paused(test)[0].end_ns > after_ns);
  CHECK(log->kinds() == 0);
}

TEST_CASE("no pause is too short, and one that follows another has its own reason") {
  const auto log = std::make_unique<PauseLog>();
  TestSegment test;
  for (int i = 0; i < 500; ++i) {
    log->Note(1, &test.segment());
    log->Note(0, &test.segment());
  }
  log->Note(2, &test.segment());
  log->Note(3, &test.segment());
  const std::vector<PausedRange> paused = Paused(test);
  REQUIRE(paused.size() == 502);
  for (size_t i = 1; i < paused.size(); ++i) CHECK(paused[i].start_ns >= paused[i - 1].end_ns);
  CHECK(paused[500].reason == "sampling-paused");
  CHECK(paused[500].end_ns == paused[501].start_ns);
  CHECK(paused[501].end_ns == 0);
}

TEST_CASE("a recording that begins later has what is left of the pause, and another one has none") {
  const auto log = std::make_unique<PauseLog>();
  log->Note(2, nullptr);
  log->AfterForkInChild();
  TestSegment child;
  const int64_t before_ns = MonotonicNs();
  log->WriteTo(child.segment());
  REQUIRE(Paused(child).size() == 1);
  CHECK(Paused(child)[0].start_ns >= before_ns);
  log->Note(0, &child.segment());
  CHECK(Paused(child).size() == 1);
  log->Note(1, &child.segment());
  log->Forget();
  TestSegment next;
  log->WriteTo(next.segment());
  CHECK(Paused(next).empty());
  log->Note(1, &next.segment());
  CHECK(Paused(next).size() == 1);
}

}  // namespace
}  // namespace geckoprof
