#include "capture/own_profile.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <thread>

#include "fake_base.h"
#include "geckoprof/base/clock.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

void Serve(const Segment& segment, FakeBase& fake) {
  fake.segment = &segment.header();
  fake.segment_bytes = segment.header().segment_bytes;
}

TEST_CASE("the profile is that of the mapping, whether it has a file or not") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  fake.StartByBase();
  TestSegment test;
  Serve(test.segment(), fake);
  unlink(test.path().c_str());
  std::string json;
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kDone);
  CHECK(json.find("\"meta\"") != std::string::npos);
}

TEST_CASE("any thread may take the profile") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  fake.StartByBase();
  TestSegment test;
  Serve(test.segment(), fake);
  std::string json;
  ProfilerOutcome outcome{ProfilerStatus::kInactive, {}};
  std::thread([&] { outcome = WriteOwnProfile(base, StringSink(&json)); }).join();
  CHECK(outcome.status == ProfilerStatus::kDone);
  CHECK(json.find("\"meta\"") != std::string::npos);
}

TEST_CASE("without a recording there is no profile, and the reason is said") {
  FakeBase fake;
  std::string json;
  const BaseLink base(&fake.table);
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kInactive);
  CHECK(WriteOwnProfile(BaseLink(nullptr), StringSink(&json)).status == ProfilerStatus::kNoBase);
  fake.StartByBase();
  alignas(8) const uint8_t retired[sizeof(SegmentHeader)] = {};  // zeros
  fake.segment = retired;
  fake.segment_bytes = sizeof(retired);
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kGenerationFailed);
  fake.table.size_bytes = offsetof(HandoverTable, segment_at);
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kOldBase);
  CHECK(json.empty());
}

TEST_CASE("the file's name may have the process and the rank") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  fake.StartByBase();
  TestSegment test;
  Serve(test.segment(), fake);
  std::string folder = "/tmp/own_profile_test-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  REQUIRE(setenv("OMPI_COMM_WORLD_RANK", "12", 1) == 0);
  CHECK(SaveOwnProfile(base, (folder + "/%r-%p.json").c_str()).status == ProfilerStatus::kDone);
  CHECK(unlink((folder + "/12-" + std::to_string(getpid()) + ".json").c_str()) == 0);
  unsetenv("OMPI_COMM_WORLD_RANK");
  CHECK(rmdir(folder.c_str()) == 0);
  const std::string too_long(5000, 'x');
  CHECK(SaveOwnProfile(base, too_long.c_str()).Text().find("too long") != std::string::npos);
}

TEST_CASE("what cannot be saved says why and leaves nothing behind") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  CHECK(SaveOwnProfile(base, nullptr).status == ProfilerStatus::kBadArgument);
  CHECK(SaveOwnProfile(base, "").status == ProfilerStatus::kBadArgument);
  CHECK(SaveOwnProfile(base, "/nowhere/at/all.json").status == ProfilerStatus::kCannotWrite);
  CHECK(SaveOwnProfile(base, "/nowhere/at/all.json").Text().find("No such file") != std::string::npos);
  CHECK(SaveOwnProfile(base, "/tmp").status == ProfilerStatus::kCannotWrite);
  CHECK(SaveOwnProfile(base, "/dev/null").status == ProfilerStatus::kInactive);
}

TEST_CASE("the process began before now, not long ago, and always at the same time") {
  const BaseLink base(nullptr);
  const int64_t start_ns = ProcessStartNs(base);
  const int64_t now_ns = MonotonicNs();
  CHECK(start_ns <= now_ns);
  CHECK(start_ns > now_ns - 600 * kNsPerSecond);  // a test program's time-out
  CHECK(ProcessStartNs(base) == start_ns);
}

// Else profiler_time would jump at a start.
TEST_CASE("the process began at the same time whatever is recorded meanwhile") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  const int64_t before_ns = ProcessStartNs(base);
  TestSegment test;  // made now, so its own time zero is later
  fake.segment = &test.segment().header();
  fake.segment_bytes = test.segment().header().segment_bytes;
  fake.StartByBase();
  CHECK(ProcessStartNs(base) == before_ns);
  fake.StopByBase();
  fake.segment = nullptr;
  CHECK(ProcessStartNs(base) == before_ns);
}

}  // namespace
}  // namespace geckoprof
