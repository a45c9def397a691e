#include "capture/own_profile.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "fake_base.h"
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
  Outcome outcome{ProfilerStatus::kInactive, {}};
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

}  // namespace
}  // namespace geckoprof
